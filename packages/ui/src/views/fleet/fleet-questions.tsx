import { useEffect, useState } from "preact/hooks";
import type { FleetQuestion } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { Boundary } from "../../parts/boundary.js";
import { Button } from "../../parts/button.js";
import { Command } from "../../parts/command.js";
import { SessionLink } from "../../parts/session-link.js";
import { SignInButton } from "../../parts/sign-in-button.js";
import { Ago } from "../../parts/time.js";
import { Trouble } from "../../parts/trouble.js";
import { fleetId, person } from "../../state/access.js";
import { fleetWaiting } from "../../state/approvals.js";
import { connection } from "../../state/connection.js";
import { hrefOf } from "../../state/location.js";
import { say } from "../../state/notices.js";
import { useLoaded } from "../../state/use-loaded.js";
import { pluralText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { AgentName, askersOf, Countdown, useCalm, WhoAsks, wantsWhat } from "../approvals/approval-card.js";
import { DenyForm } from "../approvals/deny-form.js";
import { SeenParts, useSeenParts } from "../approvals/use-seen.js";
import { WhatRuns } from "../approvals/what-runs.js";
import { type FleetDraft, giveFleetAnswer, problemOf } from "./give-answer.js";

const EVERY_MS = 2_000;
const MAX_SHOWN = 50;

/** The calls on all hosts, or on one, that wait for a person of the fleet. */
export function FleetQuestions({ host }: { readonly host?: string }) {
  const { data, error, reload } = useLoaded(hub.fleetQuestions, "fleet-questions", EVERY_MS);
  const all = data?.questions ?? [];
  const questions = host === undefined ? all : all.filter((question) => question.host === host);
  // The number in the navigation is that of the last look, which may be some seconds old.
  useEffect(() => {
    fleetWaiting.value = all.length;
  }, [all.length]);
  if (questions.length === 0) return <Trouble error={error} />;
  return (
    <section aria-label="Calls on the hosts of the fleet">
      <h2 class="section-title">
        {pluralText(questions.length, "call")} on {host === undefined ? "the fleet's hosts" : inert(host)}{" "}
        {questions.length === 1 ? "waits" : "wait"} for a person
      </h2>
      <WhoMayAnswer />
      <ul class="cards">
        {questions.slice(0, MAX_SHOWN).map((question) => (
          <li key={`${question.host} ${question.id} ${question.askedAt}`}>
            <Boundary of={question} instead={<p>This call cannot be shown here, so it cannot be answered here.</p>}>
              <QuestionCard question={question} onAnswered={reload} />
            </Boundary>
          </li>
        ))}
      </ul>
      {questions.length > MAX_SHOWN && <p class="dim">{pluralText(questions.length - MAX_SHOWN, "more call")}: the oldest come first.</p>}
    </section>
  );
}

/** Why this page cannot answer. */
function WhoMayAnswer() {
  const who = person.value;
  if (who?.answers !== undefined) return null;
  if (who === undefined)
    return (
      <div class="said">
        <p>Only a person of the fleet can answer for its hosts.</p>
        <SignInButton />
      </div>
    );
  if (who.role === "view" || who.role === "policy")
    return (
      <p class="said">
        {who.name} has the role {who.role}, which can view but not answer.
      </p>
    );
  return (
    <p class="said">
      {who.name} has no passkey for this address. The fleet's admin makes a link for one:{" "}
      <Command>{`hookline fleet people enrol ${who.name}`}</Command>
    </p>
  );
}

function QuestionCard({ question, onAnswered }: { readonly question: FleetQuestion; readonly onAnswered: () => void }) {
  const [isDenying, setDenying] = useState(false);
  const [isAlways, setAlways] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { areSeen, note } = useSeenParts();
  const isCalm = useCalm(question.id);
  const isOff = isBusy || person.value?.answers === undefined || connection.value !== "live";
  const { host, app, session, askedAt, expiresAt, isCut = false, call } = question;

  const answer = async (draft: FleetDraft) => {
    const [who, fleet] = [person.value, fleetId.value];
    if (who === undefined || fleet === undefined) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await giveFleetAnswer(question, draft, { fleet, person: who });
      say(saying(draft, host), { kind: draft.verdict === "deny" ? "denied" : "good" });
    } catch (thrown) {
      setProblem(problemOf(thrown));
    }
    setBusy(false);
    onAnswered();
  };

  return (
    <article class="card approval" aria-label={`Question of ${inert(host)}: ${askersOf(question)}`}>
      <header class="card-head">
        <h3>
          <AgentName app={app} payload={question.payload} />{" "}
          <span class="dim">
            on <a href={hrefOf("hosts", { host })}>{inert(host)}</a> {wantsWhat(question)}
          </span>
        </h3>
        <Countdown from={askedAt} to={expiresAt} />
      </header>
      <div>
        <p class="card-askers">{askersOf(question)}</p>
        <WhoAsks approval={question} />
      </div>
      <SeenParts.Provider value={note}>
        <WhatRuns approval={question} />
      </SeenParts.Provider>
      {isCut && <p class="said">The call is too large to be shown here. It can be denied here, and allowed only on its host.</p>}
      <p class="card-meta dim">
        {session !== undefined && (
          <>
            Session <SessionLink id={session} length={24} />,{" "}
          </>
        )}
        asked <Ago at={askedAt} />
      </p>
      {isDenying ? (
        <DenyForm
          isOff={isOff}
          onCancel={() => setDenying(false)}
          onDeny={(reason) => void answer({ verdict: "deny", ...(reason !== "" && { reason }) })}
        />
      ) : (
        <footer class="card-actions">
          <Button
            icon="allow"
            kind="main"
            isDisabled={isOff || isCut}
            isWaiting={!isCalm || !areSeen}
            onClick={() => void answer({ verdict: "allow", always: isAlways })}
          >
            Allow
          </Button>
          <Button icon="deny" kind="danger" isDisabled={isOff} onClick={() => setDenying(true)}>
            Deny…
          </Button>
          {call !== undefined && (
            <label
              class="check"
              title="Every host runs exactly this call without asking, until it is withdrawn: hookline fleet always forget."
            >
              <input
                type="checkbox"
                checked={isAlways}
                disabled={isOff || isCut}
                onChange={(event) => setAlways(event.currentTarget.checked)}
              />
              Always allow exactly this, on every host
            </label>
          )}
        </footer>
      )}
      <p class="form-problem" role="status">
        {isBusy ? "Waiting for your passkey…" : problem}
      </p>
    </article>
  );
}

function saying({ verdict, always }: FleetDraft, host: string): string {
  if (verdict === "deny") return `Denied on ${inert(host)}.`;
  return always === true ? "Allowed, and from now on on every host." : `Allowed on ${inert(host)}.`;
}
