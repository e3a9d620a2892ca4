/** Declarations for tests; `example.json` is what `scripts/declarations.mjs` prints for them. { ' */
export declare type Fields = { a: string; b?: number; // more
    readonly c: Item[]; d(): void };
declare interface Item { x: true | null; 'y-z'?: Record<string, boolean>; [k: string]: unknown }

type Arms = Base & ({ kind: 'x'; set: 'p' | 'q' } | { kind: 'y' });
type Base = { id: UUID };

declare const S: () => z.ZodObject<{ a: z.ZodOptional<z.ZodArray<z.ZodString>>; e: z.ZodEnum<{ x: "x"; y: "y" }> }, z.core.$strip>;
export declare type Zod = z.infer<ReturnType<typeof S>>;
type Helpers = Omit<Picked, 'b'> & Pick<Picked, 'b'>;
type Picked = { a: core.Inner; b: 1 };
type Inner = NonNullable<Outer['z']>;
type Outer = { z: 'v' | null };
type Tuple = { t: [1, ...string[]] };
type Recursive = { again?: Recursive[]; f: (x: { y: string }) => void };

declare class Skipped { a: string; m(): { b: 1 } }
declare function skipped(x: { type: 'q' }): void;
declare namespace n { export { Fields } }

type SDKMessage = KeepAlive | Nested;
type Nested = New | Init;
type KeepAlive = { type: 'keep_alive'; zz: string };
type New = { type: 'zz_new'; subtype: 'x' | 'y' };
type Init = { type: 'system'; subtype: 'init' };
type SDKControlRequestInner = Asked | Interrupt;
type Asked = { subtype: 'zz_asked' };
type Interrupt = { subtype: 'interrupt'; zz: 1 };
type HookInput = Hook;
type Hook = HookBase & { hook_event_name: 'ZzHook' };
type HookBase = { cwd: string };
type Options = { zzOption?: string };
interface Settings { sandbox?: { zz?: boolean; [k: string]: unknown } }
type ModelInfo = { value: string; displayName: string; zz: 'm' | 'n' };

type BetaContentBlock = TextBlock | NewBlock;
type TextBlock = { type: 'text'; text: string; zz: 1 };
type NewBlock = { type: 'zz_new' };
type BetaRawMessageStreamEvent = Stop;
type Stop = { type: 'content_block_stop'; index: string };
