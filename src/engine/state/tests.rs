//! Every arrow of the table, and what no sequence of events can do.

use proptest::prelude::*;

use super::*;
use crate::engine::rules::DirectReply;
use ErrorCode as E;
use RunEnd as F;
use Step as S;
use StepEvent as V;
use papayu_base::domain::OnConflict;

fn rules() -> RunRules {
    RunRules {
        route: Route::PlanThenApply,
        version: Version::V2,
        fallback: true,
        direct: DirectReply::Accept,
        rounds: 2,
        flake_reruns: 2,
        control_run: false,
        confirms: false,
        fixes_flakes: false,
        judges: false,
        check: CommandCheck::Failure,
        keeps_tree: false,
        attempts: vec![Seat::Model, Seat::Model],
        second_model_from: None,
        on_error: OnError::Abort,
        free_rounds: 3,
        researches: false,
        on_conflict: OnConflict::Regenerate,
    }
}

/// Feeds events and returns the steps; panics where there is no arrow.
fn walk(rules: &RunRules, events: &[StepEvent]) -> Vec<Step> {
    let mut state = RunState::start(rules);
    let mut steps = Vec::new();
    for event in events {
        let (to, step) = next(state, *event, rules)
            .unwrap_or_else(|| panic!("no arrow from {state:?} for {event:?} after {steps:?}"));
        state = to;
        steps.push(step);
    }
    steps
}

const READ: StepEvent = V::PlanRead { wants_context: false };
const MORE: StepEvent = V::PlanRead { wants_context: true };
const CHANGE: StepEvent = V::ChangeRead { wants_context: false };
const CHANGE_AND_MORE: StepEvent = V::ChangeRead { wants_context: true };

#[test]
fn the_straight_way_is_red_plan_apply_green() {
    assert_eq!(
        walk(
            &rules(),
            &[
                V::Begin,
                V::CheckRed,
                READ,
                V::PreviewReady,
                V::Committed,
                V::CheckGreen,
                V::Settled
            ]
        ),
        [
            S::CheckBefore,
            S::AskPlan,
            S::AskApply,
            S::Commit,
            S::CheckAfter,
            S::Settle,
            S::Finish(F::Fixed)
        ]
    );
}

#[test]
fn a_direct_reply_needs_one_request_and_the_same_repair_and_fallback() {
    let begin = [V::Begin, V::CheckRed, CHANGE];
    let green = [V::PreviewReady, V::Committed, V::CheckGreen, V::Settled];
    assert_eq!(
        walk(&rules(), &[&begin[..], &green].concat())[1..],
        [S::AskPlan, S::TakeReplyActions, S::Commit, S::CheckAfter, S::Settle, S::Finish(F::Fixed)]
    );
    let bad = V::Refused(E::PatchApplyFailed);
    assert_eq!(
        walk(&rules(), &[&begin[..], &[bad, bad, bad]].concat())[2..],
        [
            S::TakeReplyActions,
            S::RepairApply(E::PatchApplyFailed),
            S::Fallback(E::PatchApplyFailed),
            S::Finish(F::Refused(E::PatchApplyFailed)),
        ]
    );
}

#[test]
fn a_direct_reply_that_asks_to_read_is_a_plan_while_rounds_are_left() {
    let answered = [CHANGE_AND_MORE, V::ContextAnswered];
    let events = [&[V::Begin, V::CheckRed][..], &answered, &answered, &[CHANGE_AND_MORE]].concat();
    assert_eq!(
        walk(&rules(), &events)[1..],
        [
            S::AskPlan,
            S::AnswerContext,
            S::AskPlan,
            S::AnswerContext,
            S::AskPlan,
            S::TakeReplyActions
        ]
    );
}

#[test]
fn a_direct_reply_has_no_arrow_where_none_is_accepted() {
    let refusing = [
        RunRules { direct: DirectReply::Refuse, ..rules() },
        RunRules { version: Version::V1, ..rules() },
        RunRules { route: Route::PlanOnly, ..rules() },
    ];
    for rules in refusing {
        let state = RunState { place: Phase::Planning, ..RunState::start(&rules) };
        assert_eq!(next(state, CHANGE, &rules), None, "{rules:?}");
    }
}

#[test]
fn a_green_command_ends_a_repair_but_not_a_goal() {
    assert_eq!(
        walk(&rules(), &[V::Begin, V::CheckGreen]),
        [S::CheckBefore, S::Finish(F::NothingToFix)]
    );
    let log = RunRules { check: CommandCheck::Log, ..rules() };
    let steps = [S::CheckBefore, S::Finish(F::NotReproduced)];
    assert_eq!(walk(&log, &[V::Begin, V::CheckGreen]), steps);
    let goal = RunRules { check: CommandCheck::Goal, ..rules() };
    assert_eq!(walk(&goal, &[V::Begin, V::CheckGreen]), [S::CheckBefore, S::AskPlan]);
}

#[test]
fn what_is_not_the_codes_ends_before_anybody_is_asked() {
    let end = S::Finish(F::NotOurs);
    assert_eq!(walk(&rules(), &[V::Begin, V::NotOurs]), [S::CheckBefore, end]);
    assert_eq!(walk(&rules(), &[V::NotOurs]), [end]);
    let steps = walk(&rules(), &[V::Begin, V::Suspected, V::NotOurs]);
    assert_eq!(steps, [S::CheckBefore, S::Rerun, end]);
}

#[test]
fn a_suspected_flake_is_run_again_and_mended_only_when_it_stays_red() {
    assert_eq!(
        walk(&rules(), &[V::Begin, V::Suspected, V::Suspected, V::CheckGreen]),
        [S::CheckBefore, S::Rerun, S::Rerun, S::Finish(F::Flaky)]
    );
    for last in [V::Suspected, V::CheckRed] {
        assert_eq!(
            walk(&rules(), &[V::Begin, V::Suspected, V::Suspected, last]),
            [S::CheckBefore, S::Rerun, S::Rerun, S::AskPlan]
        );
    }
    let off = RunRules { flake_reruns: 0, ..rules() };
    assert_eq!(walk(&off, &[V::Begin, V::Suspected]), [S::CheckBefore, S::AskPlan]);
    assert_eq!(
        walk(&rules(), &[V::Begin, V::Suspected, V::Interrupted]).last(),
        Some(&S::Finish(F::Interrupted))
    );
}

#[test]
fn without_a_command_a_change_is_never_called_fixed() {
    let none = RunRules { check: CommandCheck::None, ..rules() };
    assert_eq!(
        walk(&none, &[V::Begin, READ, V::PreviewReady]),
        [S::AskPlan, S::AskApply, S::Finish(F::Unproved)]
    );
    let kept = RunRules { keeps_tree: true, ..none };
    assert_eq!(
        walk(&kept, &[V::Begin, READ, V::PreviewReady, V::Committed, V::Settled]),
        [S::AskPlan, S::AskApply, S::Commit, S::Settle, S::Finish(F::Unproved)]
    );
}

#[test]
fn routes_skip_what_they_do_not_want() {
    let plan = RunRules { route: Route::PlanOnly, ..rules() };
    assert_eq!(
        walk(&plan, &[V::Begin, V::CheckRed, READ]),
        [S::CheckBefore, S::AskPlan, S::Finish(F::Planned)]
    );
    let apply = RunRules { route: Route::ApplyOnly, ..rules() };
    assert_eq!(walk(&apply, &[V::Begin, V::CheckRed]), [S::CheckBefore, S::AskApply]);
}

#[test]
fn context_rounds_end_at_their_limit() {
    assert_eq!(
        walk(
            &rules(),
            &[V::Begin, V::CheckRed, MORE, V::ContextAnswered, MORE, V::ContextAnswered, MORE]
        ),
        [
            S::CheckBefore,
            S::AskPlan,
            S::AnswerContext,
            S::AskPlan,
            S::AnswerContext,
            S::AskPlan,
            S::AskApply
        ]
    );
}

#[test]
fn broken_json_is_asked_for_again_once_a_request() {
    for code in [E::JsonExtract, E::JsonParse, E::SchemaValidation, E::PlanWithActions] {
        assert_eq!(
            walk(&rules(), &[V::Begin, V::CheckRed, V::Refused(code), V::Refused(code)]),
            [S::CheckBefore, S::AskPlan, S::RepairJson(code), S::Finish(F::Refused(code))]
        );
    }
    let code = E::JsonParse;
    assert_eq!(
        walk(
            &rules(),
            &[V::Begin, V::CheckRed, V::Refused(code), READ, V::Refused(code), V::PreviewReady]
        )[2..],
        [S::RepairJson(code), S::AskApply, S::RepairJson(code), S::Commit]
    );
}

#[test]
fn a_bad_hunk_is_repaired_then_falls_back_then_ends() {
    let bad = V::Refused(E::PatchApplyFailed);
    assert_eq!(
        walk(&rules(), &[V::Begin, V::CheckRed, READ, bad, bad, bad])[2..],
        [
            S::AskApply,
            S::RepairApply(E::PatchApplyFailed),
            S::Fallback(E::PatchApplyFailed),
            S::Finish(F::Refused(E::PatchApplyFailed)),
        ]
    );
    let off = RunRules { fallback: false, ..rules() };
    assert_eq!(
        walk(&off, &[V::Begin, V::CheckRed, READ, bad, bad]).last(),
        Some(&S::Finish(F::Refused(E::PatchApplyFailed)))
    );
}

#[test]
fn each_code_takes_the_way_section_5_gives_it() {
    let steps = |code| {
        walk(&rules(), &[V::Begin, V::CheckRed, READ, V::Refused(code), V::Refused(code)])[3..]
            .to_vec()
    };
    for code in [E::BaseSha256Invalid, E::BaseSha256NotFromContext, E::PatchNotUnified] {
        assert_eq!(steps(code), [S::RepairApply(code), S::Finish(F::Refused(code))]);
    }
    let code = E::V2UpdateExistingForbidden;
    assert_eq!(steps(code), [S::RepairApply(code), S::Fallback(code)]);
    assert_eq!(
        steps(E::NonUtf8File),
        [S::Fallback(E::NonUtf8File), S::Finish(F::Refused(E::NonUtf8File))]
    );
    for code in [E::InvalidPath, E::ForbiddenPath, E::ActionConflict, E::TooManyActions] {
        let walked = walk(&rules(), &[V::Begin, V::CheckRed, READ, V::Refused(code)]);
        assert_eq!(walked.last(), Some(&S::Finish(F::Refused(code))));
    }
}

#[test]
fn an_edit_that_is_not_found_is_repaired_then_falls_back_to_v2_then_to_v1() {
    let v3 = RunRules { version: Version::V3, ..rules() };
    for code in [E::EditAnchorNotFound, E::EditBeforeNotFound, E::EditAmbiguous] {
        let (edit, patch) = (V::Refused(code), V::Refused(E::PatchApplyFailed));
        let events = [V::Begin, V::CheckRed, READ, edit, edit, patch, patch, patch];
        assert_eq!(
            walk(&v3, &events)[3..],
            [
                S::RepairApply(code),
                S::Fallback(code),
                S::RepairApply(E::PatchApplyFailed),
                S::Fallback(E::PatchApplyFailed),
                S::Finish(F::Refused(E::PatchApplyFailed)),
            ]
        );
    }
}

/// Returns the protocols that are asked while every reply is refused for the code.
fn versions(rules: &RunRules, code: ErrorCode) -> Vec<u8> {
    let mut state = RunState::start(rules);
    for event in [V::Begin, V::CheckRed, READ] {
        state = next(state, event, rules).expect("the straight way").0;
    }
    let mut asked = vec![state.version.number()];
    while let Some((to, step)) = next(state, V::Refused(code), rules) {
        if !step.asks() {
            break;
        }
        state = to;
        asked.push(state.version.number());
    }
    asked
}

#[test]
fn each_code_of_v3_takes_the_way_section_5_gives_it() {
    let v3 = RunRules { version: Version::V3, ..rules() };
    let no_v1 = RunRules { fallback: false, ..v3.clone() };
    for (code, with_v1, without) in [
        (E::EditAmbiguous, &[3, 3, 2, 2, 1][..], &[3, 3, 2, 2][..]),
        // These two step down at once.
        (E::EditApplyFailed, &[3, 2, 1], &[3, 2]),
        (E::EditBaseMismatch, &[3, 2, 1], &[3, 2]),
        (E::NonUtf8File, &[3, 2, 1], &[3, 2]),
        // v2 would only say the same of a patch or a whole file.
        (E::PatchApplyFailed, &[3, 3, 1], &[3, 3]),
        (E::V2UpdateExistingForbidden, &[3, 3, 1], &[3, 3]),
        (E::BaseSha256NotFromContext, &[3, 3], &[3, 3]),
        (E::ForbiddenPath, &[3], &[3]),
    ] {
        assert_eq!(versions(&v3, code), with_v1, "{code}");
        assert_eq!(versions(&no_v1, code), without, "{code}, never v1");
    }
}

#[test]
fn a_changed_base_goes_back_to_plan_once_also_when_the_commit_finds_it() {
    let moved = V::Refused(E::BaseMismatch);
    for events in [
        &[V::Begin, V::CheckRed, READ, moved, READ, moved][..],
        &[V::Begin, V::CheckRed, READ, V::PreviewReady, moved, READ, V::PreviewReady, moved][..],
    ] {
        let steps = walk(&rules(), events);
        assert_eq!(steps.iter().filter(|step| **step == S::AskPlan).count(), 2);
        assert_eq!(steps.last(), Some(&S::Finish(F::Refused(E::BaseMismatch))));
    }
}

#[test]
fn a_red_second_check_rolls_back_and_tries_once_more() {
    let red = [READ, V::PreviewReady, V::Committed, V::CheckRed, V::RolledBack];
    let events = [&[V::Begin, V::CheckRed][..], &red, &red].concat();
    let steps = walk(&rules(), &events);
    assert_eq!(steps.iter().filter(|step| **step == S::RollBack).count(), 2);
    assert_eq!(steps.last(), Some(&S::Finish(F::StillRed)));
}

#[test]
fn where_quickfix_has_no_fix_the_model_is_asked() {
    let chain = RunRules { attempts: vec![Seat::Quickfix, Seat::Model], ..rules() };
    for event in [V::NoChanges, V::Refused(E::ForbiddenPath)] {
        assert_eq!(
            walk(&chain, &[V::Begin, V::CheckRed, event, V::NoChanges])[2..],
            [S::AskPlan, S::Finish(F::NoChanges)]
        );
    }
    let paid = walk(&rules(), &[V::Begin, V::CheckRed, V::ProviderFailed]);
    assert_eq!(paid.last(), Some(&S::Finish(F::ProviderFailed)));
}

#[test]
fn a_free_change_that_helps_is_the_ground_of_the_next_and_one_that_does_not_is_followed_by_another()
{
    let chain = RunRules { attempts: vec![Seat::Quickfix, Seat::Model], ..rules() };
    let better = [V::PreviewReady, V::Committed, V::CheckBetter, V::LayerKept];
    let red = [V::PreviewReady, V::Committed, V::CheckRed, V::RolledBack];
    let green = [V::PreviewReady, V::Committed, V::CheckGreen, V::Settled];
    let (model_red, model_green) = ([&[READ], &red[..]].concat(), [&[READ], &green[..]].concat());
    let begin = [V::Begin, V::CheckRed];
    for (events, asked, end) in [
        ([&begin[..], &better, &green].concat(), 2, F::Fixed),
        ([&begin[..], &red, &green].concat(), 2, F::Fixed),
        // Three rounds, then the model, once.
        ([&begin[..], &better, &red, &better, &model_red].concat(), 4, F::StillRed),
        ([&begin[..], &better, &[V::NoChanges], &model_green].concat(), 3, F::Fixed),
        ([&begin[..], &better, &[V::NoChanges, V::ProviderFailed]].concat(), 3, F::ProviderFailed),
    ] {
        let steps = walk(&chain, &events);
        let begun = steps.iter().filter(|step| matches!(step, S::Quickfix | S::AskPlan));
        assert_eq!(begun.count(), asked, "{events:?}");
        assert_eq!(steps.last(), Some(&S::Finish(end)), "{events:?}");
    }
}

#[test]
fn a_second_model_is_asked_after_refused_replies_and_after_a_change_that_does_not_help() {
    let two = RunRules { second_model_from: Some(1), fallback: false, ..rules() };
    let begin = [V::Begin, V::CheckRed];
    let refused = [READ, V::Refused(E::PatchApplyFailed), V::Refused(E::PatchApplyFailed)];
    let red = [READ, V::PreviewReady, V::Committed, V::CheckRed, V::RolledBack];
    let green = [READ, V::PreviewReady, V::Committed, V::CheckGreen, V::Settled];
    for (first, second, end) in [
        (&refused[..], &green[..], F::Fixed),
        (&red, &green, F::Fixed),
        (&refused, &refused, F::Refused(E::PatchApplyFailed)),
        (&refused, &[V::NoChanges], F::NoChanges),
    ] {
        let steps = walk(&two, &[&begin[..], first, second].concat());
        assert_eq!(steps.iter().filter(|step| **step == S::AskPlan).count(), 2, "{first:?}");
        assert_eq!(steps.last(), Some(&S::Finish(end)), "{first:?} {second:?}");
    }
    // A model without a change is believed, and one model alone is not asked again.
    let steps = walk(&two, &[&begin[..], &[V::NoChanges]].concat());
    assert_eq!(steps.last(), Some(&S::Finish(F::NoChanges)));
    let one = RunRules { second_model_from: None, ..two };
    let steps = walk(&one, &[&begin[..], &refused].concat());
    assert_eq!(steps.last(), Some(&S::Finish(F::Refused(E::PatchApplyFailed))));
}

#[test]
fn having_nothing_more_to_offer_does_not_hide_that_what_was_offered_did_not_help() {
    let free = RunRules { attempts: vec![Seat::Quickfix], ..rules() };
    let change = [V::PreviewReady, V::Committed];
    for after in [&[V::CheckRed, V::RolledBack][..], &[V::CheckBetter, V::LayerKept]] {
        let events = [&[V::Begin, V::CheckRed][..], &change, after, &[V::NoChanges]].concat();
        assert_eq!(walk(&free, &events).last(), Some(&S::Finish(F::StillRed)));
    }
}

#[test]
fn quickfix_runs_once_more_when_a_file_changed_while_its_tools_ran() {
    let free = RunRules { attempts: vec![Seat::Quickfix], ..rules() };
    let stale = V::Refused(E::BaseMismatch);
    assert_eq!(
        walk(&free, &[V::Begin, V::CheckRed, stale, stale])[1..],
        [S::Quickfix, S::Quickfix, S::Finish(F::Refused(E::BaseMismatch))]
    );
    let plan = RunRules { route: Route::PlanOnly, ..free };
    assert_eq!(
        walk(&plan, &[V::Begin, V::CheckRed, READ])[1..],
        [S::Quickfix, S::Finish(F::Planned)]
    );
}

#[test]
fn given_actions_ask_nobody_whatever_happens() {
    let given = RunRules { attempts: vec![Seat::Given], ..rules() };
    assert_eq!(
        walk(&given, &[V::Begin, V::CheckRed, V::Refused(E::PatchApplyFailed)]),
        [S::CheckBefore, S::TakeGivenActions, S::Finish(F::Refused(E::PatchApplyFailed))]
    );
}

#[test]
fn models_go_on_after_given_actions_and_these_count_alone_if_the_models_add_nothing() {
    let rules =
        RunRules { attempts: vec![Seat::Given, Seat::Model, Seat::Given], judges: true, ..rules() };
    let given = [V::Begin, V::CheckRed, V::PreviewReady, V::Committed];
    assert_eq!(walk(&rules, &[&given[..], &[V::CheckGreen]].concat()).last(), Some(&S::Settle));
    let asked = [&given[..], &[V::CheckBetter, V::LayerKept]].concat();
    assert_eq!(walk(&rules, &asked).last(), Some(&S::AskPlan));
    let unread = V::Refused(E::JsonExtract);
    for nothing in [&[V::NoChanges][..], &[V::ProviderFailed], &[unread, unread]] {
        let steps = walk(&rules, &[&asked[..], nothing].concat());
        assert_eq!(steps.last(), Some(&S::TakeGivenActions), "{nothing:?}");
    }
    let undone = [READ, V::PreviewReady, V::Committed, V::CheckRed, V::RolledBack];
    let last = [V::PreviewReady, V::Committed, V::CheckGreen, V::Settled];
    let steps = walk(&rules, &[&asked[..], &undone, &last].concat());
    assert_eq!(steps.last(), Some(&S::Finish(F::Fixed)));
}

#[test]
fn a_signal_during_the_check_takes_the_change_back_first() {
    let to_check = [V::Begin, V::CheckRed, READ, V::PreviewReady, V::Committed];
    let events = [&to_check[..], &[V::Interrupted, V::RolledBack]].concat();
    assert_eq!(walk(&rules(), &events)[5..], [S::RollBack, S::Finish(F::Interrupted)]);
    assert_eq!(walk(&rules(), &to_check[..3]).last(), Some(&S::AskApply));
    let state = RunState { place: Phase::Planning, ..RunState::start(&rules()) };
    assert_eq!(
        next(state, V::Interrupted, &rules()).map(|to| to.1),
        Some(S::Finish(F::Interrupted))
    );
}

#[test]
fn a_spent_budget_stops_before_the_next_request() {
    let steps = walk(&rules(), &[V::Begin, V::CheckRed, V::OverBudget]);
    assert_eq!(steps.last(), Some(&S::Finish(F::OverBudget)));
}

#[test]
fn the_time_limit_ends_every_step_that_writes_nothing() {
    for before in [
        &[V::Begin][..],
        &[V::Begin, V::Suspected],
        &[V::Begin, V::CheckRed],
        &[V::Begin, V::CheckRed, MORE],
        &[V::Begin, V::CheckRed, READ],
        &[V::Begin, V::CheckRed, READ, V::PreviewReady],
    ] {
        let steps = walk(&rules(), &[before, &[V::OverBudget]].concat());
        assert_eq!(steps.last(), Some(&S::Finish(F::OverBudget)), "{before:?}");
    }
    let on_disk = [V::Begin, V::CheckRed, READ, V::PreviewReady, V::Committed, V::OverBudget];
    let steps = walk(&rules(), &[&on_disk[..], &[V::RolledBack]].concat());
    assert_eq!(steps[5..], [S::RollBack, S::Finish(F::OverBudget)]);
}

#[test]
fn a_plan_that_fails_is_followed_by_research_once_where_the_user_allows_it() {
    let online = RunRules { researches: true, ..rules() };
    let code = E::JsonParse;
    let failed = [V::Refused(code), V::Refused(code)];
    let end = F::Refused(code);
    let begin = [V::Begin, V::CheckRed];
    for (events, steps) in [
        (
            [&failed[..], &[V::Researched], &failed].concat(),
            vec![
                S::RepairJson(code),
                S::Research(end),
                S::AskPlan,
                S::RepairJson(code),
                S::Finish(end),
            ],
        ),
        (
            [&failed[..], &[V::ResearchFailed]].concat(),
            vec![S::RepairJson(code), S::Research(end), S::Finish(end)],
        ),
        (
            vec![V::ProviderTimedOut, V::Researched, V::ProviderTimedOut],
            vec![S::Research(F::ProviderFailed), S::AskPlan, S::Finish(F::ProviderFailed)],
        ),
        (vec![V::ProviderFailed], vec![S::Finish(F::ProviderFailed)]),
        // The model's own request was the research of the run.
        (
            [&[MORE, V::ContextResearched][..], &failed].concat(),
            vec![S::AnswerContext, S::AskPlan, S::RepairJson(code), S::Finish(end)],
        ),
        // An APPLY that fails is not researched.
        ([&[READ][..], &failed].concat(), vec![S::AskApply, S::RepairJson(code), S::Finish(end)]),
    ] {
        assert_eq!(walk(&online, &[&begin[..], &events].concat())[2..], steps, "{events:?}");
    }
    let steps = walk(&rules(), &[&begin[..], &failed].concat());
    assert_eq!(steps.last(), Some(&S::Finish(end)));
}

#[test]
fn a_conflict_is_regenerated_skipped_or_applied_as_the_user_chose() {
    let begin = [V::Begin, V::CheckRed, READ];
    for code in [E::BaseMismatch, E::EditBaseMismatch] {
        let moved = V::Refused(code);
        let version = if code == E::BaseMismatch { Version::V2 } else { Version::V3 };
        let end = S::Finish(F::Refused(code));
        let steps = |on_conflict| {
            let rules = RunRules { on_conflict, version, attempts: vec![Seat::Model], ..rules() };
            let events = [&begin[..], &[moved, moved]].concat();
            let count = if on_conflict == OnConflict::Skip { 4 } else { 5 };
            walk(&rules, &events[..count])[3..].to_vec()
        };
        assert_eq!(steps(OnConflict::Skip), [end]);
        let applied = steps(OnConflict::Apply);
        assert_eq!(applied[0], S::Reapply);
        let again = if code == E::BaseMismatch { S::AskPlan } else { S::Fallback(code) };
        assert_eq!(applied[1], again);
        assert_eq!(steps(OnConflict::Regenerate)[0], again);
    }
}

fn any_event() -> impl Strategy<Value = StepEvent> {
    let codes = prop::sample::select(ErrorCode::ALL.to_vec());
    prop_oneof![
        4 => codes.prop_map(V::Refused),
        8 => prop::sample::select(vec![
            V::Begin, V::CheckGreen, V::CheckRed, V::FailuresHidden, V::NothingRan, V::Unreliable, V::NotOurs, V::Suspected, READ, MORE, CHANGE, CHANGE_AND_MORE, V::ContextAnswered, V::ContextResearched, V::Researched, V::ResearchFailed, V::NoChanges, V::PreviewReady,
            V::Committed, V::CheckBetter, V::LayerKept, V::Settled, V::RolledBack, V::Judged, V::Doubted, V::ProviderFailed, V::ProviderTimedOut, V::OverBudget,
        ]),
        1 => Just(V::Interrupted),
    ]
}

fn any_rules() -> impl Strategy<Value = RunRules> {
    let route = prop::sample::select(vec![Route::PlanOnly, Route::PlanThenApply, Route::ApplyOnly]);
    let version = prop::sample::select(Version::ALL.to_vec());
    let check = prop::sample::select(vec![
        CommandCheck::None,
        CommandCheck::Failure,
        CommandCheck::Log,
        CommandCheck::Goal,
    ]);
    let seats = prop::collection::vec(
        prop::sample::select(vec![Seat::Quickfix, Seat::Model, Seat::Given]),
        1..4,
    );
    (route, version, any::<(bool, bool, bool)>(), (0_u32..4, 0_u32..4), check, any::<bool>(), seats)
        .prop_map(
            |(
                route,
                version,
                (fallback, control_run, direct),
                (rounds, free_rounds),
                check,
                keeps_tree,
                attempts,
            )| RunRules {
                route,
                version,
                fallback,
                direct: if direct { DirectReply::Accept } else { DirectReply::Refuse },
                rounds,
                flake_reruns: rounds,
                control_run,
                confirms: control_run,
                fixes_flakes: fallback,
                judges: keeps_tree,
                check,
                keeps_tree,
                second_model_from: direct.then_some(1).filter(|at| *at < attempts.len()),
                attempts,
                on_error: OnError::Abort,
                free_rounds,
                researches: direct,
                on_conflict: match rounds % 3 {
                    0 => OnConflict::Regenerate,
                    1 => OnConflict::Skip,
                    _ => OnConflict::Apply,
                },
            },
        )
}

#[test]
fn after_an_error_of_the_provider_the_run_ends_asks_again_or_goes_to_the_second_model() {
    let attempts = vec![Seat::Quickfix, Seat::Model, Seat::Model, Seat::Model];
    let rules = |on_error, second_model_from| RunRules {
        on_error,
        second_model_from,
        attempts: attempts.clone(),
        ..rules()
    };
    let failed = |count: usize| {
        let begin = [V::Begin, V::CheckRed, V::NoChanges];
        [&begin[..], &vec![V::ProviderFailed; count]].concat()
    };
    let end = S::Finish(F::ProviderFailed);
    for (on_error, second, asked) in [
        (OnError::Abort, Some(3), 1),
        (OnError::Retry, None, 3),
        (OnError::Retry, Some(3), 3),
        (OnError::Skip, Some(3), 2),
        (OnError::Skip, Some(2), 2),
        (OnError::Skip, None, 1),
    ] {
        let steps = walk(&rules(on_error, second), &failed(asked));
        let asks = steps.iter().filter(|step| **step == S::AskPlan).count();
        assert_eq!((asks, steps.last()), (asked, Some(&end)), "{on_error:?} {second:?}");
    }
}

#[test]
fn a_flake_is_run_as_often_as_allowed_before_it_is_fixed() {
    let rules = RunRules { fixes_flakes: true, ..rules() };
    let events = [V::Begin, V::Suspected, V::CheckGreen, V::Suspected, READ];
    let steps = walk(&rules, &events);
    assert_eq!(steps, [S::CheckBefore, S::Rerun, S::Rerun, S::AskPlan, S::AskApply]);
}

#[test]
fn a_fix_is_confirmed_before_it_counts() {
    let rules = RunRules { confirms: true, ..rules() };
    let begin = [V::Begin, V::CheckRed, READ, V::PreviewReady, V::Committed, V::CheckGreen];
    for (rest, end) in [
        (&[V::CheckGreen, V::Settled][..], vec![S::Settle, S::Finish(F::Fixed)]),
        (&[V::Unreliable], vec![S::Finish(F::FlakyCommand)]),
        (&[V::CheckRed, V::RolledBack], vec![S::RollBack, S::AskPlan]),
        (&[V::Interrupted, V::RolledBack], vec![S::RollBack, S::Finish(F::Interrupted)]),
    ] {
        let steps = walk(&rules, &[&begin, rest].concat());
        assert_eq!(steps[5], S::Confirm);
        assert_eq!(steps[6..], end);
    }
}

#[test]
fn a_proved_change_is_judged_and_a_doubt_begins_the_next_attempt() {
    let rules = RunRules { judges: true, ..rules() };
    let begin = [V::Begin, V::CheckRed, CHANGE, V::PreviewReady, V::Committed, V::CheckGreen];
    let second = [V::RolledBack, CHANGE, V::PreviewReady, V::Committed, V::CheckGreen, V::Doubted];
    for (rest, end) in [
        (&[V::Judged, V::Settled][..], vec![S::Settle, S::Finish(F::Fixed)]),
        (&[V::Doubted, V::RolledBack], vec![S::RollBack, S::AskPlan]),
        (&[V::Interrupted, V::RolledBack], vec![S::RollBack, S::Finish(F::Interrupted)]),
    ] {
        let steps = walk(&rules, &[&begin, rest].concat());
        assert_eq!(steps[5], S::Judge);
        assert_eq!(steps[6..], end);
    }
    let all = [&begin[..], &[V::Doubted], &second, &[V::RolledBack]].concat();
    assert_eq!(walk(&rules, &all).last(), Some(&S::Finish(F::StillRed)));
    let confirmed = RunRules { confirms: true, ..rules };
    let steps = walk(&confirmed, &[&begin[..], &[V::CheckGreen, V::Judged]].concat());
    assert_eq!(steps[5..], [S::Confirm, S::Judge, S::Settle]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Events without an arrow are skipped, so long sequences walk deep.
    #[test]
    fn no_sequence_loops_asks_too_often_or_writes_without_a_preview(
        rules in any_rules(), events in prop::collection::vec(any_event(), 0..400),
    ) {
        let mut state = RunState::start(&rules);
        let (mut asks, mut steps, mut previewed, mut on_disk) = (0, 0, false, false);
        for event in events {
            let Some((to, step)) = next(state, event, &rules) else { continue };
            prop_assert_ne!(state.place, Phase::Done);
            previewed = previewed || event == V::PreviewReady;
            match event {
                V::Committed => on_disk = true,
                // A layer is ground, not a change that nobody has decided on: the end takes it back.
                V::RolledBack | V::Settled | V::LayerKept => on_disk = false,
                _ => {}
            }
            if step.asks() {
                asks += 1;
                prop_assert!(!on_disk, "asked with a change on disk");
                previewed = false;
            }
            if let S::Fallback(_) = step {
                prop_assert!(to.version < state.version, "a fallback goes down");
                prop_assert!(to.version != Version::V1 || rules.fallback, "v1 is not allowed");
            }
            if step == S::Commit {
                prop_assert!(previewed, "commit without a preview");
            }
            if let S::Finish(end) = step {
                prop_assert!(!on_disk, "finished with an unsettled change: {:?}", end);
                prop_assert!(end != F::Fixed || event == V::Settled);
            }
            steps += 1;
            state = to;
        }
        prop_assert!(asks <= rules.max_asks(), "{} asks, bound {}", asks, rules.max_asks());
        let begun = u32::try_from(rules.attempts.len()).unwrap() * rules.free_rounds.max(1);
        prop_assert!(steps <= 5 + rules.flake_reruns + 4 * rules.max_asks() + 7 * begun);
    }
}
