//! Several models that are asked at once, and their replies as one.

use std::thread;
use std::time::Duration;

use super::exchange::{
    CallLimits, FinishReason, Merge, ModelRequest, Provider, ProviderError, ProviderFault,
    ProviderReply, Turn,
};
use super::member_answer::{Asked, MemberAnswer, note_refused};
use papayu_base::domain::{Event, EventName, ProviderRecord, Usage};
use papayu_base::text::{Masker, first_chars};
use papayu_patch::prompts::{OtherReply, aggregation_message};
use papayu_patch::protocol::merge::{self, Merged, ModelReply};
use papayu_system::Clock;

const NAME: &str = "several";

/// Characters of a reply that the aggregator reads.
const MAX_REPLY_CHARS: usize = 40_000;

/// Providers that are asked at the same time. Their replies are merged, or combined by an aggregator.
pub struct Several<'a> {
    members: Vec<Box<dyn Provider + 'a>>,
    aggregator: Option<Box<dyn Provider + 'a>>,
    world: SeveralWorld<'a>,
    model: String,
    /// The name of each member in messages: its model, with a number if another member has the same model.
    names: Vec<String>,
}

/// The surroundings of several providers.
#[derive(Clone, Copy)]
pub struct SeveralWorld<'a> {
    /// Measures the time of each.
    pub clock: &'a dyn Clock,
    /// Masks the replies that the aggregator reads.
    pub masker: &'a Masker,
    /// Time limit of each provider, its retries included, so that one that is slow does not delay the run.
    pub timeout: Duration,
}

impl<'a> Several<'a> {
    /// Returns the providers as one. The first action of a path wins, in the order of `members`.
    pub fn new(
        members: Vec<Box<dyn Provider + 'a>>,
        aggregator: Option<Box<dyn Provider + 'a>>,
        world: SeveralWorld<'a>,
    ) -> Self {
        let models: Vec<&str> = members.iter().map(|member| member.model()).collect();
        let model = models.join("+");
        let names = name_models(&models);
        Self { members, aggregator, world, model, names }
    }

    /// Asks one provider and measures its time.
    fn ask_one(
        &self,
        provider: &dyn Provider,
        request: &ModelRequest,
        call: &CallLimits<'_>,
    ) -> MemberAnswer {
        let started = self.world.clock.elapsed();
        let time_left = call.time_left.min(self.world.timeout);
        let result = provider.ask(request, &CallLimits { time_left, ..*call });
        let time = self.world.clock.elapsed().saturating_sub(started);
        MemberAnswer::new(provider, result, u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    /// Asks the members one after the other until one answers, for replies that cannot be merged.
    fn ask_in_turn(
        &self,
        request: &ModelRequest,
        call: &CallLimits<'_>,
    ) -> Result<ProviderReply, ProviderError> {
        let (mut records, mut has_timeout) = (Vec::new(), false);
        for member in &self.members {
            let MemberAnswer { record, reply, is_interrupted, is_timeout, .. } =
                self.ask_one(&**member, request, call);
            records.push(record);
            has_timeout |= is_timeout;
            if is_interrupted {
                return Err(interrupted(&records));
            }
            if let Some(reply) = reply {
                let (usage, requests) = total(&records);
                let merge = Merge { providers: records, conflicts: Vec::new() };
                return Ok(ProviderReply { usage, requests, merge: Some(merge), ..reply });
            }
        }
        Err(all_failed(records, has_timeout))
    }

    /// Asks every member at once; the answers are in the order of the members.
    fn ask_members(&self, request: &ModelRequest, call: &CallLimits<'_>) -> Vec<MemberAnswer> {
        thread::scope(|scope| {
            let mut asked = Vec::new();
            for member in &self.members {
                let ask = move || self.ask_one(&**member, request, call);
                let thread = thread::Builder::new().name("provider".into());
                asked.push((member, thread.spawn_scoped(scope, ask)));
            }
            let mut answers = Vec::new();
            for (member, thread) in asked {
                answers.push(match thread {
                    Ok(thread) => thread.join().unwrap_or_else(|_| {
                        MemberAnswer::failed(&**member, "its thread failed".to_owned())
                    }),
                    // A machine without another thread asks them one after the other.
                    Err(_) => self.ask_one(&**member, request, call),
                });
            }
            answers
        })
    }

    /// Returns the one reply that several become.
    fn combine(
        &self,
        replies: &Replies,
        asked: Asked<'_>,
        records: &mut Vec<ProviderRecord>,
    ) -> Merged {
        let usable = if replies.accepted.is_empty() { &replies.refused } else { &replies.accepted };
        let is_needed = usable.len() > 1 && !merge::agree(usable);
        let Some(aggregator) = self.aggregator.as_deref().filter(|_| is_needed) else {
            return replies.merge(asked);
        };
        let mut answer = self.ask_aggregator(aggregator, usable, asked, records);
        answer.record.is_aggregator = true;
        answer.read_reply(asked);
        note_refused(std::slice::from_mut(&mut answer));
        let reply = answer.usable.take().filter(|_| answer.refusal.is_none());
        records.push(answer.record);
        match reply {
            Some(reply) => Merged { text: reply.value.to_string(), conflicts: Vec::new() },
            None => replies.merge(asked),
        }
    }

    /// Asks the aggregator, if the limits of the run allow it after the requests of the members.
    fn ask_aggregator(
        &self,
        aggregator: &dyn Provider,
        usable: &[ModelReply],
        asked: Asked<'_>,
        spent: &[ProviderRecord],
    ) -> MemberAnswer {
        let mut request = self.aggregation_request(usable, asked.request);
        if let Some(checks) = asked.call.checks {
            match checks.reply_tokens(&request, spent) {
                Ok(tokens) => request.max_output_tokens = tokens,
                Err(limit) => {
                    return MemberAnswer::failed(aggregator, format!("not asked: {limit}"));
                }
            }
        }
        self.ask_one(aggregator, &request, asked.call)
    }

    /// Returns the request with the replies of the members behind its last message.
    fn aggregation_request(&self, usable: &[ModelReply], request: &ModelRequest) -> ModelRequest {
        let texts: Vec<String> = usable.iter().map(|reply| reply.value.to_string()).collect();
        let replies: Vec<OtherReply<'_>> = usable
            .iter()
            .zip(&texts)
            .map(|(reply, text)| OtherReply {
                model: &reply.model,
                text: first_chars(text, MAX_REPLY_CHARS),
            })
            .collect();
        let more = aggregation_message(&replies);
        let mut request = request.clone();
        let extend = |message: &str| self.world.masker.masked(&format!("{message}\n{more}"));
        match request.turns.last_mut() {
            Some(Turn { message, .. }) => *message = extend(message),
            None => request.tail = extend(&request.tail),
        }
        request
    }
}

impl Provider for Several<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn sends_schema(&self) -> bool {
        self.members.iter().any(|member| member.sends_schema())
    }

    fn members(&self) -> Vec<&dyn Provider> {
        let all = self.members.iter().chain(&self.aggregator);
        all.map(|provider| &**provider as &dyn Provider).collect()
    }

    fn ask(
        &self,
        request: &ModelRequest,
        call: &CallLimits<'_>,
    ) -> Result<ProviderReply, ProviderError> {
        if request.form.is_some() {
            return self.ask_in_turn(request, call);
        }
        let asked = Asked { request, call };
        let mut answers = self.ask_members(request, call);
        for answer in &mut answers {
            answer.read_reply(asked);
        }
        note_refused(&mut answers);
        let unread = answers.iter_mut().find_map(|answer| answer.reply.take());
        let is_interrupted = answers.iter().any(|answer| answer.is_interrupted);
        let has_timeout = answers.iter().any(|answer| answer.is_timeout);
        let mut replies = Replies::default();
        let mut records = Vec::new();
        for (answer, name) in answers.into_iter().zip(&self.names) {
            let reply = answer.usable.map(|it| ModelReply { model: name.clone(), ..it });
            let list =
                if answer.refusal.is_none() { &mut replies.accepted } else { &mut replies.refused };
            list.extend(reply);
            records.push(answer.record);
        }
        let usable = replies.in_order();
        let (Merged { text, conflicts }, finish) = match (usable.as_slice(), unread) {
            // The engine asks for a repair of a reply that nothing can be read from.
            ([], Some(reply)) => (Merged { text: reply.text, conflicts: Vec::new() }, reply.finish),
            ([], None) if is_interrupted => return Err(interrupted(&records)),
            ([], None) => return Err(all_failed(records, has_timeout)),
            ([only], _) => {
                let text = only.value.to_string();
                (Merged { text, conflicts: Vec::new() }, FinishReason::Stop)
            }
            _ => (self.combine(&replies, asked, &mut records), FinishReason::Stop),
        };
        let merge = Merge { providers: records, conflicts };
        emit_merged(&merge, call);
        let (usage, requests) = total(&merge.providers);
        Ok(ProviderReply { text, finish, usage, requests, merge: Some(merge) })
    }
}

/// The replies that have the form of the protocol.
#[derive(Default)]
struct Replies {
    /// Plans, and changes that the run can apply.
    accepted: Vec<ModelReply>,
    /// Changes that it would refuse.
    refused: Vec<ModelReply>,
}

impl Replies {
    /// Returns all replies, those that the run accepts first.
    fn in_order(&self) -> Vec<ModelReply> {
        self.accepted.iter().chain(&self.refused).cloned().collect()
    }

    /// Returns the replies as one: all of them if the run accepts the result, else those that it accepts by themselves,
    /// else the first one.
    fn merge(&self, asked: Asked<'_>) -> Merged {
        let all = merge::merge_replies(&self.in_order());
        let is_accepted = |merged: &Merged| {
            let value = serde_json::from_str(&merged.text).ok();
            let change = value.and_then(|value| merge::read_change(asked.request.version, &value));
            change.zip(asked.call.checks).is_none_or(|(set, it)| it.check_change(set).is_ok())
        };
        // A change that can be repaired is worth more than none.
        if self.accepted.iter().all(merge::says_no_changes) || is_accepted(&all) {
            return all;
        }
        let some = merge::merge_replies(&self.accepted);
        if is_accepted(&some) { some } else { merge::take_first(&self.accepted) }
    }
}

/// Returns a name for each model; a repeated one has a number.
fn name_models(models: &[&str]) -> Vec<String> {
    let name = |(at, model): (usize, &&str)| {
        let before = models.iter().take(at).filter(|it| *it == model).count();
        if before == 0 { (*model).to_owned() } else { format!("{model} ({})", before + 1) }
    };
    models.iter().enumerate().map(name).collect()
}

/// Returns the error of a request that no provider answered.
fn all_failed(providers: Vec<ProviderRecord>, has_timeout: bool) -> ProviderError {
    let (_, requests) = total(&providers);
    let fault = ProviderFault::AllFailed { providers, has_timeout };
    ProviderError { provider: NAME, fault, requests }
}

/// Returns the error of a request that a signal ended.
fn interrupted(providers: &[ProviderRecord]) -> ProviderError {
    let (_, requests) = total(providers);
    ProviderError { provider: NAME, fault: ProviderFault::Interrupted, requests }
}

/// Returns the tokens and requests of all records.
fn total(records: &[ProviderRecord]) -> (Usage, u32) {
    let mut usage = Usage::default();
    let mut requests: u32 = 0;
    for record in records {
        usage += record.tokens;
        requests = requests.saturating_add(record.requests);
    }
    (usage, requests)
}

/// Reports who answered, who failed, and what was left out.
fn emit_merged(merge: &Merge, call: &CallLimits<'_>) {
    let names = |failed: bool| {
        let chosen = merge.providers.iter().filter(|it| (it.replies == 0) == failed);
        chosen.map(|it| it.model.as_str()).collect::<Vec<_>>().join(" ")
    };
    let paths: Vec<&str> = merge.conflicts.iter().map(|conflict| conflict.path.as_str()).collect();
    let event = Event::new(EventName::LlmRepliesMerged)
        .with("answered", names(false))
        .with("failed", names(true))
        .with("conflicts", paths.join(" "));
    call.events.emit(event);
}
