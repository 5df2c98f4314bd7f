import type { HandlersAnswer } from "../../api/answers.js";
import type { HandlerRef } from "../../api/calls.js";
import { TableBox } from "../../parts/table-box.js";
import { inert } from "../../text/inert.js";
import { SwitchButton } from "./switch-button.js";

interface Idle {
  readonly ref: HandlerRef;
  readonly name: string;
  readonly kind: string;
  readonly from: string;
  readonly state: string;
  readonly why: string;
  readonly path: string;
}

/** Hooks and rules that stand in files and do not run, and why. */
export function IdleHooks({ answer, onChanged }: { readonly answer: HandlersAnswer; readonly onChanged: () => void }) {
  const idle = [...idleHooks(answer), ...idleRules(answer)];
  if (idle.length === 0) return null;
  return (
    <>
      <h2 class="section-title">Not running</h2>
      <TableBox label="Hooks and rules that do not run">
        <thead>
          <tr>
            <th>Name</th>
            <th>Kind</th>
            <th>From</th>
            <th>State</th>
            <th>Why</th>
            <th>File</th>
            <th>
              <span class="unseen">Switch</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {idle.map(({ ref, name, kind, from, state, why, path }) => (
            <tr key={`${ref.owner} ${name} ${path}`}>
              <th scope="row">{inert(name)}</th>
              <td>{inert(kind)}</td>
              <td>{inert(from)}</td>
              <td>
                <span class={`mark ${state === "disabled" ? "mark-never" : "mark-bad"}`}>
                  {state === "disabled" ? "" : "! "}
                  {inert(state)}
                </span>
              </td>
              <td class="prose">{inert(why) || "–"}</td>
              <td class="mono prose">{inert(path)}</td>
              <td>{state === "disabled" && <SwitchButton of={ref} isOn={false} onChanged={onChanged} />}</td>
            </tr>
          ))}
        </tbody>
      </TableBox>
    </>
  );
}

function idleHooks({ hooks, handlers }: HandlersAnswer): Idle[] {
  return hooks
    .filter(({ id, state }) => state !== "active" || !handlers.some(({ owner }) => owner === id))
    .map(({ id, name, kind, from, project, state, problems, path }) => ({
      ref: { owner: id },
      name,
      kind,
      from: project ?? from,
      state,
      why: problems.join("; "),
      path,
    }));
}

function idleRules({ rules }: HandlersAnswer): Idle[] {
  return rules
    .filter(({ state }) => state !== "active" && state !== "shadow")
    .map(({ name, state, problems, path }) => ({
      ref: { owner: "rules", name },
      name,
      kind: "rule",
      from: "user",
      state,
      why: problems.join("; "),
      path,
    }));
}
