//! Several models that are asked at once, and their replies as one.

use std::thread;
use std::time::Duration;

use super::exchange::{
    Call, Finish, Merge, Provider, ProviderError, ProviderFault, Reply, Request, Turn,
};
use crate::domain::{Event, EventName, MergeConflict, ProviderRecord, Usage};
use crate::prompts::{OtherReply, aggregation_message};
use crate::protocol::merge::{self, ModelReply, Reading};
use crate::system::Clock;
use crate::text::{Masker, first_chars};

const NAME: &str = "several";

/// Characters of a reply that the aggregator reads.
const MAX_REPLY_CHARS: usize = 40_000;

/// Providers that are asked at the same time. Their replies are merged, or combined by an aggregator.
pub struct Several<'a> {
    members: Vec<Box<dyn Provider + 'a>>,
    aggregator: Option<Box<dyn Provider + 'a>>,
    world: SeveralWorld<'a>,
    model: String,
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
        Self { members, aggregator, world, model }
    }

    /// Asks one provider and measures its time.
    fn ask_one(&self, provider: &dyn Provider, request: &Request, call: &Call<'_>) -> Answer {
        let started = self.world.clock.elapsed();
        let time_left = call.time_left.min(self.world.timeout);
        let result = provider.ask(request, &Call { time_left, ..*call });
        let time = self.world.clock.elapsed().saturating_sub(started);
        Answer::new(provider, result, u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    /// Asks every member at once; the answers are in the order of the members.
    fn ask_members(&self, request: &Request, call: &Call<'_>) -> Vec<Answer> {
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
                        Answer::failed(&**member, "its thread failed".to_owned())
                    }),
                    // A machine without another thread asks them one after the other.
                    Err(_) => self.ask_one(&**member, request, call),
                });
            }
            answers
        })
    }

    /// Returns the text of the one reply, and the actions that it leaves out.
    fn combine(
        &self,
        usable: &[ModelReply],
        asked: Asked<'_>,
        records: &mut Vec<ProviderRecord>,
    ) -> (String, Vec<MergeConflict>) {
        let merged = || {
            let merge::Merged { text, conflicts } = merge::merge_replies(usable);
            (text, conflicts)
        };
        let Some(aggregator) = &self.aggregator else { return merged() };
        let request = self.aggregation_request(usable, asked.request);
        let mut answer = self.ask_one(&**aggregator, &request, asked.call);
        answer.record.is_aggregator = true;
        let text = answer.usable_text(asked.request).map(|reply| reply.value.to_string());
        records.push(answer.record);
        text.map_or_else(merged, |text| (text, Vec::new()))
    }

    /// Returns the request with the replies of the members behind its last message.
    fn aggregation_request(&self, usable: &[ModelReply], request: &Request) -> Request {
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

/// A request and its limits.
#[derive(Clone, Copy)]
struct Asked<'c> {
    request: &'c Request,
    call: &'c Call<'c>,
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

    fn ask(&self, request: &Request, call: &Call<'_>) -> Result<Reply, ProviderError> {
        let mut answers = self.ask_members(request, call);
        let usable: Vec<ModelReply> =
            answers.iter_mut().filter_map(|answer| answer.usable_text(request)).collect();
        let unread = answers.iter_mut().find_map(|answer| answer.reply.take());
        let is_interrupted = answers.iter().any(|answer| answer.is_interrupted);
        let mut records: Vec<_> = answers.into_iter().map(|answer| answer.record).collect();
        let (text, finish, conflicts) = match (usable.as_slice(), unread) {
            // The engine asks for a repair of a reply that nothing can be read from.
            ([], Some(reply)) => (reply.text, reply.finish, Vec::new()),
            ([], None) => return Err(all_failed(records, is_interrupted)),
            ([only], _) => (only.value.to_string(), Finish::Stop, Vec::new()),
            _ => {
                let (text, conflicts) =
                    self.combine(&usable, Asked { request, call }, &mut records);
                (text, Finish::Stop, conflicts)
            }
        };
        let merge = Merge { providers: records, conflicts };
        emit_merged(&merge, call);
        let (usage, requests) = total(&merge.providers);
        Ok(Reply { text, finish, usage, requests, merge: Some(merge) })
    }
}

/// The answer of one provider, and its part in the costs.
struct Answer {
    record: ProviderRecord,
    reply: Option<Reply>,
    is_interrupted: bool,
}

impl Answer {
    fn new(provider: &dyn Provider, result: Result<Reply, ProviderError>, ms: u64) -> Self {
        let mut answer = match result {
            Err(error) => {
                let mut failed = Self::failed(provider, error.fault.to_string());
                failed.is_interrupted = error.fault == ProviderFault::Interrupted;
                failed.record.requests = error.requests;
                failed
            }
            Ok(reply) => Self {
                record: ProviderRecord {
                    replies: 1,
                    requests: reply.requests,
                    tokens: reply.usage,
                    failures: 0,
                    error: None,
                    ..Self::failed(provider, String::new()).record
                },
                reply: Some(reply),
                is_interrupted: false,
            },
        };
        answer.record.ms = ms;
        answer
    }

    /// Returns the answer of a provider that brought no reply.
    fn failed(provider: &dyn Provider, reason: String) -> Self {
        let record = ProviderRecord {
            provider: provider.name().to_owned(),
            model: provider.model().to_owned(),
            is_aggregator: false,
            replies: 0,
            failures: 1,
            error: Some(reason),
            requests: 0,
            tokens: Usage::default(),
            cost_usd: None,
            ms: 0,
        };
        Self { record, reply: None, is_interrupted: false }
    }

    /// Takes the reply if it can be used; otherwise notes why not, and leaves it.
    fn usable_text(&mut self, request: &Request) -> Option<ModelReply> {
        let reply = self.reply.as_ref()?;
        let reading = Reading {
            version: request.version,
            mode: request.mode,
            accepts_change: request.accepts_change,
            shown: &request.shown,
        };
        let read = match reply.finish {
            Finish::Stop => {
                merge::read_reply(reading, &reply.text).map_err(|refusal| refusal.to_string())
            }
            Finish::Length => Err("the reply was cut off at its limit of tokens".to_owned()),
            Finish::Refusal => Err("the model refused to answer".to_owned()),
        };
        match read {
            Ok(value) => {
                self.reply = None;
                Some(ModelReply { model: self.record.model.clone(), value })
            }
            Err(reason) => {
                self.record.replies = 0;
                self.record.failures = 1;
                self.record.error = Some(reason);
                None
            }
        }
    }
}

fn all_failed(providers: Vec<ProviderRecord>, is_interrupted: bool) -> ProviderError {
    let (_, requests) = total(&providers);
    let fault = if is_interrupted {
        ProviderFault::Interrupted
    } else {
        ProviderFault::AllFailed { providers }
    };
    ProviderError { provider: NAME, fault, requests }
}

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
fn emit_merged(merge: &Merge, call: &Call<'_>) {
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
