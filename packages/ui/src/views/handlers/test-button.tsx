import { useState } from "preact/hooks";
import type { TrialAnswer } from "../../api/answers.js";
import { type HandlerRef, hub } from "../../api/calls.js";
import { Button } from "../../parts/button.js";
import { VerdictMark } from "../../parts/verdict.js";
import { canApprove } from "../../state/access.js";
import { sayError } from "../../state/notices.js";
import { durationText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";

/** Asks the handler about a sample event, without an agent. */
export function TestButton({ of, event }: { readonly of: HandlerRef; readonly event: string }) {
  const [result, setResult] = useState<TrialAnswer>();
  const test = () => hub.testHandler(of, event).then(setResult, sayError);
  return (
    <>
      <Button icon="play" isDisabled={!canApprove.value} onClick={() => void test()}>
        Test with a sample event
      </Button>
      {result !== undefined && (
        <span role="status" class="test-result">
          {result.wasAsked ? <VerdictMark verdict={result.verdict} /> : "not asked: the sample does not match"} in {durationText(result.ms)}{" "}
          {inert(
            [result.reason, result.failure, ...result.errors, ...(result.notes ?? [])].filter((text) => text !== undefined).join("; "),
          )}
        </span>
      )}
    </>
  );
}
