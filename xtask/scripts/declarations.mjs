// Prints the types that a declaration file has as JSON, by name: node declarations.mjs PACKAGE < FILE
//
// A type is {"kind": …, …} as in xtask/src/typescript.rs. Syntax of which no sample can be made becomes "any".
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const ts = createRequire(import.meta.url)(process.argv[2]);
const { SyntaxKind: Kind } = ts;
const any = { kind: 'any' };
const simple = {
  [Kind.StringKeyword]: { kind: 'text' },
  [Kind.NumberKeyword]: { kind: 'number' },
  [Kind.BigIntKeyword]: { kind: 'number' },
  [Kind.BooleanKeyword]: { kind: 'bool' },
  [Kind.UndefinedKeyword]: { kind: 'nothing' },
  [Kind.VoidKeyword]: { kind: 'nothing' },
  [Kind.NeverKeyword]: { kind: 'nothing' },
};
const literals = { [Kind.TrueKeyword]: true, [Kind.FalseKeyword]: false, [Kind.NullKeyword]: null };

const named = (name, args) => ({ kind: 'name', name, args });
const text = (entity) => entity.getText().replace(/\s/g, '');

function type(node) {
  if (node.kind in simple) return simple[node.kind];
  if (ts.isParenthesizedTypeNode(node)) return type(node.type);
  if (ts.isLiteralTypeNode(node)) return literal(node.literal);
  if (ts.isArrayTypeNode(node)) return { kind: 'list', of: type(node.elementType) };
  if (ts.isUnionTypeNode(node)) return { kind: 'union', of: node.types.map(type) };
  if (ts.isIntersectionTypeNode(node)) return { kind: 'and', of: node.types.map(type) };
  if (ts.isTypeLiteralNode(node)) return object(node.members);
  if (ts.isTypeReferenceNode(node)) return named(text(node.typeName), (node.typeArguments ?? []).map(type));
  if (ts.isExpressionWithTypeArguments(node)) return named(text(node.expression), (node.typeArguments ?? []).map(type));
  if (ts.isTypeQueryNode(node)) return named('typeof', [named(text(node.exprName), [])]);
  if (ts.isTupleTypeNode(node)) return named('tuple', node.elements.map(item));
  if (ts.isFunctionTypeNode(node)) return { kind: 'function', of: type(node.type) };
  if (ts.isTypeOperatorNode(node) && node.operator === Kind.ReadonlyKeyword) return type(node.type);
  if (ts.isIndexedAccessTypeNode(node)) {
    const index = type(node.indexType);
    const isField = index.kind === 'literal' && typeof index.value === 'string';
    return isField ? { kind: 'part', of: type(node.objectType), name: index.value } : any;
  }
  return any;
}

// The rest of a tuple is declared as a list.
function item(node) {
  const of = type(node.type ?? node);
  return ts.isRestTypeNode(node) && of.kind === 'list' ? of.of : of;
}

function literal(node) {
  if (node.kind in literals) return { kind: 'literal', value: literals[node.kind] };
  if (ts.isStringLiteralLike(node)) return { kind: 'literal', value: node.text };
  if (ts.isNumericLiteral(node)) return { kind: 'literal', value: Number(node.text) };
  return { kind: 'number' };
}

function object(members) {
  const fields = [];
  for (const member of members) {
    const optional = member.questionToken !== undefined;
    const of = member.type ? type(member.type) : any;
    if (ts.isPropertySignature(member)) {
      fields.push({ name: member.name.text ?? member.name.getText(), optional, of });
    } else if (ts.isIndexSignatureDeclaration(member)) {
      fields.push({ name: null, optional, of });
    }
  }
  return { kind: 'object', of: fields };
}

const declarations = {};
// Of two declarations of a name, in namespaces, the first counts.
const declare = (name, of) => { declarations[name.text] ??= of; };

function visit(node) {
  if (ts.isTypeAliasDeclaration(node)) {
    declare(node.name, type(node.type));
  } else if (ts.isInterfaceDeclaration(node)) {
    const bases = (node.heritageClauses ?? []).flatMap((clause) => clause.types.map(type));
    const own = object(node.members);
    declare(node.name, bases.length === 0 ? own : { kind: 'and', of: [...bases, own] });
  } else if (ts.isVariableDeclaration(node) && node.type && ts.isIdentifier(node.name)) {
    declare(node.name, type(node.type));
  } else if (ts.isModuleDeclaration(node) || ts.isModuleBlock(node) || ts.isVariableStatement(node)
    || ts.isVariableDeclarationList(node) || ts.isSourceFile(node)) {
    ts.forEachChild(node, visit);
  }
}

const source = ts.createSourceFile('declarations.d.ts', readFileSync(0, 'utf8'), ts.ScriptTarget.Latest, true);
if (source.parseDiagnostics.length > 0) throw new Error(source.parseDiagnostics[0].messageText);
visit(source);
process.stdout.write(JSON.stringify(declarations));
