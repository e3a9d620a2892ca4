//! Questions to the user: the forms and pages that the client shows, and what the CLI gets for them. No I/O.

use agent_client_protocol::{
    Error,
    v1::schema::{
        CreateElicitationRequest, ElicitationAction, ElicitationContentValue, ElicitationFormMode,
        ElicitationMode, ElicitationPropertySchema, ElicitationSchema, ElicitationSessionScope,
        ElicitationUrlMode, EnumOption, MultiSelectPropertySchema, StringPropertySchema,
    },
};
use agentwire::{
    Decision,
    protocol::{
        RawJson,
        control::ElicitationAsked,
        elicitation::{ElicitationAction as CliAction, ElicitationMode as CliMode, ElicitationReply},
        permission::{Answer, Choice, Question, Questions},
    },
};

use crate::{
    failure::{internal, invalid},
    features::Features,
};

/// Returns the form for the model's questions. Each has a field for a selection, and one for the user's own words.
pub(crate) fn form(questions: &Questions, scope: ElicitationSessionScope) -> CreateElicitationRequest {
    let questions = &questions.questions;
    let (message, is_single) = match &questions[..] {
        [one] => (&*one.question, true),
        _ => ("Claude has questions.", false),
    };
    let mut schema = ElicitationSchema::new();
    for (at, question) in questions.iter().enumerate() {
        // The message has the text of a single question.
        let text = (!is_single).then(|| question.question.clone());
        let own = StringPropertySchema::new().title("Other".to_owned()).description(OWN_WORDS.to_owned());
        schema = schema.property(selection(at), choices(question, text), false);
        schema = schema.property(own_words(at), own, false);
    }
    CreateElicitationRequest::new(ElicitationFormMode::new(scope, schema), message)
}

/// Returns the field for the selection of a question.
fn choices(question: &Question, text: Option<String>) -> ElicitationPropertySchema {
    let option = |choice: &Choice| {
        let description = Some(&choice.description).filter(|text| !text.is_empty()).cloned();
        EnumOption::new(&*choice.label, &*choice.label).description(description)
    };
    let (title, options) = (question.header.clone(), question.options.iter().map(option).collect());
    if question.multi_select {
        MultiSelectPropertySchema::titled(options).title(title).description(text).into()
    } else {
        StringPropertySchema::new().one_of(Some(options)).title(title).description(text).into()
    }
}

/// Returns the decision that the client's answer stands for. Questions may stay unanswered, but not all. An answer that
/// is not one of the choices denies.
pub(crate) fn decision(mut questions: Questions, action: ElicitationAction) -> Decision {
    let ElicitationAction::Accept(accepted) = action else {
        return Decision::deny(UNANSWERED);
    };
    let fields = accepted.content.unwrap_or_default();
    for (at, question) in questions.questions.iter_mut().enumerate() {
        match answer(question, fields.get(&selection(at)), fields.get(&own_words(at))) {
            Ok(answer) => question.answer = answer,
            Err(denied) => return denied,
        }
    }
    if questions.questions.iter().all(|question| question.answer.is_none()) {
        return Decision::deny(UNANSWERED);
    }
    questions.allow().into()
}

/// Returns the answer to a question, if there is one; a denial if it is not one of the choices.
fn answer(
    question: &Question,
    selected: Option<&ElicitationContentValue>,
    own: Option<&ElicitationContentValue>,
) -> Result<Option<Answer>, Decision> {
    let invalid = || Decision::deny(format!("The user gave no valid answer to: {}", question.question));
    let labels = match selected {
        None => &[],
        Some(ElicitationContentValue::StringArray(labels)) if question.multi_select => &labels[..],
        // Clients may send an empty text if nothing is selected.
        Some(ElicitationContentValue::String(label)) if label.is_empty() => &[],
        Some(ElicitationContentValue::String(label)) => std::slice::from_ref(label),
        Some(_) => return Err(invalid()),
    };
    let own = match own {
        None => "",
        Some(ElicitationContentValue::String(text)) => text.trim(),
        Some(_) => return Err(invalid()),
    };
    let choice = |label: &String| question.options.iter().find(|choice| choice.label == *label);
    let chosen = labels.iter().map(choice).collect::<Option<Vec<_>>>().ok_or_else(invalid)?;
    Ok(match (&chosen[..], own) {
        ([], "") => None,
        ([], own) => Some(Answer::text(own)),
        (_, "") => Some(Answer::choices(chosen)),
        (_, notes) => Some(Answer::choices(chosen).notes(notes)),
    })
}

/// The names are those of the adapter of npm, which clients may know.
fn selection(at: usize) -> String {
    format!("question_{at}")
}

fn own_words(at: usize) -> String {
    format!("question_{at}_custom")
}

/// Returns the request for a question of an MCP server.
pub(crate) fn of_server(
    asked: &ElicitationAsked,
    scope: ElicitationSessionScope,
    features: &Features,
) -> Result<CreateElicitationRequest, Error> {
    let mode: ElicitationMode = match asked.mode.as_ref().unwrap_or(&CliMode::Form) {
        CliMode::Form if features.forms => {
            let schema = asked.requested_schema.as_ref().map(RawJson::decode).transpose();
            ElicitationFormMode::new(scope, schema.map_err(internal)?.unwrap_or_default()).into()
        }
        CliMode::Url if features.pages => {
            let url = asked.url.clone().ok_or_else(|| invalid("the page has no `url`"))?;
            let id = asked.elicitation_id.as_deref().map(ToOwned::to_owned);
            let id = id.unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
            ElicitationUrlMode::new(scope, id, url).into()
        }
        _ => return Err(internal("the client shows no questions of this kind")),
    };
    // The user should see which server wants the answer.
    let message = format!("The MCP server `{}` asks: {}", asked.mcp_server_name, asked.message);
    Ok(CreateElicitationRequest::new(mode, message))
}

/// Returns the reply to an MCP server.
pub(crate) fn reply(action: ElicitationAction) -> Result<ElicitationReply, Error> {
    Ok(match action {
        ElicitationAction::Accept(accepted) => {
            let mut reply = ElicitationReply::new(CliAction::Accept);
            reply.content = accepted.content.as_ref().map(RawJson::encode).transpose().map_err(internal)?;
            reply
        }
        ElicitationAction::Decline => ElicitationReply::decline(),
        _ => ElicitationReply::cancel(),
    })
}

const UNANSWERED: &str = "The user did not answer.";
const OWN_WORDS: &str = "An answer in your own words, or a note on the selection";

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::CreateElicitationResponse;
    use agentwire::protocol::control::CanUseTool;
    use serde_json::{Value, json};

    use super::*;

    /// Returns the first `count` of a question with one answer, and one with several.
    fn questions(count: usize) -> Questions {
        let options = json!([{"label": "Oak", "description": "Hard."}, {"label": "Lime"}]);
        let questions = json!([
            {"question": "Which tree?", "header": "Tree", "multiSelect": false, "options": options},
            {"question": "Which others?", "header": "Others", "multiSelect": true, "options": options},
        ]);
        let input = json!({"questions": questions.as_array().unwrap()[..count]});
        let request = json!({"tool_name": Questions::TOOL, "tool_use_id": "t", "input": input});
        let request: CanUseTool = serde_json::from_str(&request.to_string()).unwrap();
        Questions::asked_by(&request).unwrap().unwrap()
    }

    fn scope() -> ElicitationSessionScope {
        ElicitationSessionScope::new("s")
    }

    fn action(response: Value) -> ElicitationAction {
        serde_json::from_value::<CreateElicitationResponse>(response).unwrap().action
    }

    /// Returns what the CLI gets if the client answers the first `count` questions by these fields.
    fn decided(count: usize, content: Value) -> Value {
        let action = action(json!({"action": "accept", "content": content}));
        serde_json::to_value(decision(questions(count), action)).unwrap()
    }

    #[test]
    fn form_has_a_selection_and_own_words_for_each_question() {
        let scope = scope().tool_call_id(crate::mapping::call_id(&"t".into()));
        let request = serde_json::to_value(form(&questions(2), scope)).unwrap();
        assert_eq!((&request["mode"], &request["sessionId"]), (&json!("form"), &json!("s")));
        assert_eq!(request["toolCallId"], "t");
        let options = json!([{"const": "Oak", "title": "Oak", "description": "Hard."}, {"const": "Lime", "title": "Lime"}]);
        let fields = &request["requestedSchema"]["properties"];
        assert_eq!(
            fields["question_0"],
            json!({"type": "string", "title": "Tree", "description": "Which tree?", "oneOf": options})
        );
        assert_eq!(
            fields["question_1"],
            json!({"type": "array", "title": "Others", "description": "Which others?", "items": {"anyOf": options}})
        );
        assert_eq!(fields["question_1_custom"]["type"], "string");
        assert_eq!(request["requestedSchema"]["required"], Value::Null);
        let single = serde_json::to_value(form(&questions(1), self::scope())).unwrap();
        assert_eq!(single["message"], "Which tree?");
        let fields = &single["requestedSchema"]["properties"];
        assert_eq!(
            (&fields["question_0"]["description"], &fields["question_1"]),
            (&Value::Null, &Value::Null)
        );
    }

    #[test]
    fn selections_and_own_words_are_answers() {
        let answered = |content| decided(2, content)["updatedInput"].clone();
        let input = answered(json!({"question_0": "Lime", "question_1": ["Oak", "Lime"]}));
        assert_eq!(input["answers"], json!({"Which tree?": "Lime", "Which others?": "Oak, Lime"}));
        let words = json!({"question_0": "", "question_0_custom": " a willow ", "question_1": ["Oak"],
            "question_1_custom": "by the lake"});
        let input = answered(words);
        assert_eq!(input["answers"], json!({"Which tree?": "a willow", "Which others?": "Oak"}));
        assert_eq!(input["annotations"], json!({"Which others?": {"notes": "by the lake"}}));
    }

    #[test]
    fn unanswered_question_has_no_answer() {
        for content in [
            json!({"question_1": ["Oak"]}),
            json!({"question_0": "", "question_0_custom": " ", "question_1": ["Oak"]}),
        ] {
            let decided = decided(2, content);
            assert_eq!(decided["updatedInput"]["answers"], json!({"Which others?": "Oak"}), "{decided}");
        }
    }

    #[test]
    fn unknown_answer_or_none_at_all_denies() {
        let denied = |content| {
            let denied = decided(2, content);
            assert_eq!(denied["behavior"], "deny", "{denied}");
            denied["message"].as_str().unwrap().to_owned()
        };
        for content in [json!({}), json!({"question_0": "", "question_1": []})] {
            assert_eq!(denied(content), "The user did not answer.");
        }
        let other = json!(["Oak"]);
        for (why, content) in [
            ("unknown", json!({"question_0": "Blue", "question_1": other})),
            ("one is unknown", json!({"question_0": "Oak", "question_1": ["Oak", "Blue"]})),
            ("several", json!({"question_0": ["Oak", "Lime"], "question_1": other})),
            ("a number", json!({"question_0": 0, "question_1": other})),
            ("no text", json!({"question_0": "Oak", "question_1": other, "question_1_custom": true})),
        ] {
            assert!(denied(content).contains("Which "), "{why}");
        }
    }

    #[test]
    fn form_that_is_not_accepted_denies() {
        for response in ["decline", "cancel", "_later"] {
            let denied =
                decision(questions(1), action(json!({"action": response, "content": {"question_0": "Oak"}})));
            let denied = serde_json::to_value(denied).unwrap();
            assert_eq!(
                denied,
                json!({"behavior": "deny", "message": "The user did not answer."}),
                "{response}"
            );
        }
        assert_eq!(
            serde_json::to_value(decision(questions(1), action(json!({"action": "accept"})))).unwrap()["behavior"],
            "deny"
        );
    }

    fn asked(fields: Value) -> ElicitationAsked {
        let mut asked = json!({"mcp_server_name": "files", "message": "Which folder?"});
        asked.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        serde_json::from_str(&asked.to_string()).unwrap()
    }

    #[test]
    fn question_of_a_server_needs_the_capability() {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]});
        let (form, page) = (
            json!({"requested_schema": schema}),
            json!({"mode": "url", "url": "https://a.b/", "elicitation_id": "e"}),
        );
        let sent = |fields: &Value, forms, pages| {
            let features = Features { forms, pages, ..Features::default() };
            of_server(&asked(fields.clone()), scope(), &features)
                .map(|sent| serde_json::to_value(sent).unwrap())
        };
        let shown = sent(&form, true, false).unwrap();
        assert_eq!((&shown["requestedSchema"], &shown["mode"]), (&schema, &json!("form")));
        assert_eq!(shown["message"], "The MCP server `files` asks: Which folder?");
        let shown = sent(&page, false, true).unwrap();
        assert_eq!((&shown["url"], &shown["elicitationId"]), (&json!("https://a.b/"), &json!("e")));
        assert!(sent(&form, false, true).is_err() && sent(&page, true, false).is_err());
        assert!(sent(&json!({"mode": "url"}), true, true).is_err(), "no page");
        assert!(sent(&json!({"requested_schema": {"properties": 1}}), true, true).is_err(), "no schema");
    }

    #[test]
    fn server_gets_what_the_user_has_entered() {
        let replied = |response| serde_json::to_value(reply(action(response)).unwrap()).unwrap();
        let content = json!({"n": 1, "on": true, "all": ["a"], "part": 0.5, "name": "b"});
        assert_eq!(
            replied(json!({"action": "accept", "content": content})),
            json!({"action": "accept", "content": content})
        );
        for plain in ["accept", "decline", "cancel"] {
            assert_eq!(replied(json!({"action": plain})), json!({"action": plain}));
        }
        assert_eq!(replied(json!({"action": "_later", "content": content})), json!({"action": "cancel"}));
    }
}
