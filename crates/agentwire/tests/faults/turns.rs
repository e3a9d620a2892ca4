//! Several prompts and an interrupted one: turns do not mix, and each prompt is settled.

use agentwire::{control::PromptState, protocol::Uuid};

use crate::{
    fault_cli::play,
    left::kill,
    received::{Received, word},
    runner::tests,
};

tests!(turns: leftovers_do_not_leak_into_the_next_turn, receipts_report_each_prompt, kill_settles_queued_prompts);

fn leftovers_do_not_leak_into_the_next_turn() {
    play("hold-turn=1 messages=100", async |cli| {
        let mut session = cli.connect().await;
        let mut first = session.ask("one").await.unwrap();
        while word(&first.next().await.unwrap().unwrap()) != "assistant" {}
        // Most of it is still to come.
        drop(first);
        session.interrupt().await.unwrap();
        let second = Received::turn(&mut session, "two").await;
        let results: Vec<_> = second.lines().filter(|line| line["type"] == "result").collect();
        assert_eq!(results.len(), 1);
        assert_eq!(results[0]["is_error"], false);
        assert_eq!(second.texts().len(), 101);
        let left = session.leftovers();
        assert_eq!(left.iter().filter(|left| word(left) == "assistant").count(), 100);
        let result = left.iter().find(|left| word(left) == "result").expect("the interrupted one");
        assert_eq!(crate::received::line(result)["subtype"], "error_during_execution");
        session.close().await.unwrap();
    });
}

fn receipts_report_each_prompt() {
    play("hold-turn=1", async |cli| {
        let mut session = cli.connect().await;
        let one = session.send("one").await.unwrap();
        assert_eq!(session.control().prompt_begun(&one).await.unwrap(), PromptState::Started);
        let two = session.send("two").await.unwrap();
        let three = session.send("three").await.unwrap();
        assert!(session.cancel_prompt(&three).await.unwrap());
        assert!(!session.cancel_prompt(&three).await.unwrap());
        let receipt = session.interrupt().await.unwrap();
        assert_eq!(receipt.still_queued, std::slice::from_ref(&two));
        for (prompt, state) in
            [(one, PromptState::Failed), (two, PromptState::Completed), (three, PromptState::Withdrawn)]
        {
            assert_eq!(session.settled(&prompt).await.unwrap(), state);
        }
        // All of it was delivered in order.
        let mut results = Vec::new();
        for _ in 0..2 {
            let mut turn = session.turn();
            while let Some(incoming) = turn.next().await {
                incoming.unwrap();
            }
            results.push(turn.result().unwrap().is_error);
        }
        assert_eq!(results, [true, false]);
        session.close().await.unwrap();
    });
}

fn kill_settles_queued_prompts() {
    play("hold-turn", async |cli| {
        let mut session = cli.connect().await;
        let mut prompts: Vec<Uuid> = Vec::new();
        for number in 0..10 {
            prompts.push(session.send(format!("prompt {number}")).await.unwrap());
        }
        // The first turn continues from here on.
        while word(&session.next().await.unwrap().unwrap()) != "assistant" {}
        let pid = session.initialized().pid.unwrap();
        let control = session.control().clone();
        let waiting: Vec<_> = prompts.iter().map(|prompt| control.prompt_settled(prompt)).collect();
        kill(pid);
        for waiting in waiting {
            let error = agentwire::Error::from(waiting.await.unwrap_err());
            assert_eq!(error.ending().unwrap().exit.as_ref().unwrap().signal, Some(9), "{error}");
        }
        let received = Received::by(&mut session).await;
        let ending = received.error().ending().unwrap();
        assert_eq!((ending.in_turn, ending.exit.as_ref().unwrap().signal), (true, Some(9)));
    });
}
