import { useEffect, useState } from "preact/hooks";
import type { BacktestAnswer } from "../../api/answers.js";
import { ApiError } from "../../api/api-error.js";
import { hub } from "../../api/calls.js";
import { useLoaded } from "../../state/use-loaded.js";
import { countText, pluralText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";

/** Long enough for a word, so that not every letter starts a backtest. */
const PAUSE_MS = 500;
const AGAIN_MS = 1_000;
const START = `[[rule]]
name = "no-push"
tool = "Bash"
match = "tool.input.command =~ '^git push'"
do = "block"
`;

/** A rule that is tried on the recorded calls while it is written. Nothing is saved. */
export function TryRule() {
  const [text, setText] = useState(START);
  const [isOpen, setOpen] = useState(false);
  const { answer, error, isRunning } = useBacktest(isOpen ? text : undefined);
  return (
    <details class="try-rule" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Try a rule on the recorded calls</summary>
      <label>
        <span class="dim">A rule as in hookline.toml. It is tried as you type, on the newest calls of 30 days, and not saved.</span>
        <textarea class="mono" rows={7} value={text} spellcheck={false} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <div role="status" aria-busy={isRunning}>
        {error !== undefined && <p class="try-rule-error">{inert(error)}</p>}
        {error === undefined && answer !== undefined && <Found answer={answer} />}
        {isRunning && <p class="dim">Trying…</p>}
      </div>
    </details>
  );
}

interface Tried {
  readonly answer?: BacktestAnswer;
  readonly error?: string;
  readonly isRunning: boolean;
}

/** Each change of the text ends the backtest before it, in the hub too. */
function useBacktest(text: string | undefined): Tried {
  const [tried, setTried] = useState<Tried>({ isRunning: false });
  useEffect(() => {
    if (text === undefined) return undefined;
    const abort = new AbortController();
    let timer = setTimeout(attempt, PAUSE_MS);
    function attempt(): void {
      setTried((before) => ({ ...before, isRunning: true }));
      hub.backtest({ rules: text ?? "" }, abort.signal).then(
        (answer) => setTried({ answer, isRunning: false }),
        (error: unknown) => {
          if (abort.signal.aborted) return;
          // The hub runs two at a time, and those of other windows count.
          if (error instanceof ApiError && error.status === 429) timer = setTimeout(attempt, AGAIN_MS);
          else setTried({ error: error instanceof ApiError ? error.message : String(error), isRunning: false });
        },
      );
    }
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  return tried;
}

function Found({ answer }: { readonly answer: BacktestAnswer }) {
  const { calls, now, inconclusive, examples, rules } = answer;
  const acted = examples.filter(({ isInconclusive }) => isInconclusive !== true);
  return (
    <>
      <p>
        Of {pluralText(calls, "call")}: {countText(now.block)} blocked, {countText(now.ask)} asked about, {countText(now.rewrite)}{" "}
        rewritten, {countText(now.allow)} allowed
        {inconclusive > 0 && `; ${countText(inconclusive)} cannot be judged, because the record hides or cuts them`}.
      </p>
      {rules.map(({ name, days }) => (
        <DayBars key={name} label={name} days={days} />
      ))}
      <ul class="try-rule-calls">
        {acted.map(({ id, times, now: said, about }) => (
          <li key={id}>
            <span class="dim">
              {countText(times)} × {said}
            </span>{" "}
            <span class="mono clipped">{inert(about)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** What a rule in force would have matched on each of the last 30 days. */
export function RuleMatches({ name }: { readonly name: string }) {
  const { data } = useLoaded(() => hub.backtest({ name }), `backtest ${name}`);
  const [rule] = data?.rules ?? [];
  if (data === undefined || rule === undefined) return null;
  return (
    <div>
      <p class="dim">
        {pluralText(rule.matched, "match", "matches")} in {pluralText(data.calls, "recorded call")} of 30 days
        {rule.inconclusive > 0 && `, ${countText(rule.inconclusive)} cannot be judged`}
      </p>
      <DayBars label={name} days={rule.days} />
    </div>
  );
}

const DAY_MS = 86_400_000;
const DAYS = 30;

/** Matches of a rule by day, the last 30 days. */
function DayBars({ label, days }: { readonly label: string; readonly days: BacktestAnswer["rules"][number]["days"] }) {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const counts = Array.from({ length: DAYS }, (_, index) => {
    const day = today - (DAYS - 1 - index) * DAY_MS;
    return { day, matched: days.find((one) => one.day === day)?.matched ?? 0 };
  });
  const most = Math.max(1, ...counts.map(({ matched }) => matched));
  const total = counts.reduce((sum, { matched }) => sum + matched, 0);
  return (
    <svg
      class="day-bars"
      role="img"
      aria-label={`${inert(label)}: ${pluralText(total, "match", "matches")} in 30 days`}
      viewBox="0 0 300 40"
      preserveAspectRatio="none"
    >
      {counts.map(({ day, matched }, index) => (
        <rect
          key={day}
          x={index * 10 + 1}
          width={8}
          y={40 - (matched / most) * 38}
          height={Math.max(matched === 0 ? 0.5 : 1, (matched / most) * 38)}
        >
          <title>{`${new Date(day).toISOString().slice(0, 10)}: ${countText(matched)}`}</title>
        </rect>
      ))}
    </svg>
  );
}
