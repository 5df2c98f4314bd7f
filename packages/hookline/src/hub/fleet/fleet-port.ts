import type { ApprovalAnswer } from "../approvals/approvals.js";
import type { BundlePolicy } from "../bundles/bundle-policy.js";
import type { Accepted, Arrival, Refusal } from "../parts.js";
import type { FleetAuditEntry, FleetHost, FleetQuestion, PendingApproval } from "../protocol.js";
import type { StoredEvent } from "../store/store.js";
import type { Marks } from "../store/writer.js";

/** What a hub that has joined a fleet keeps in `fleet/fleet.json` of its state folder. */
export interface FleetSettings {
  /** `host`: sends its events to the fleet and takes its policy. `hub`: stores the events of the hosts and shows them. */
  readonly role: "host" | "hub";
  /** The id of the fleet: what is signed names it. */
  readonly fleet: string;
  /** The account on the server. */
  readonly tenant: string;
  /** The name on the credential. */
  readonly name: string;
  readonly labels: { readonly [key: string]: string };
  readonly urls: readonly string[];
  /** The nkey seed with which it connects. */
  readonly seed: string;
  readonly inboxPrefix: string;
  /** The key that the roster is signed with: raw Ed25519, base64url. */
  readonly rootKey: string;
  /** The serial of the roster at the invitation: an older roster is refused. */
  readonly rosterSerial?: number | undefined;
  /** The certificates that the server's must come from, as PEM. Their presence requires TLS. */
  readonly ca?: string | undefined;
  /** The parts that a fleet hub reads: "00" to "15". Default: all. */
  readonly parts?: readonly string[] | undefined;
}

/** What the hub gives to the fleet. */
export interface FleetPort {
  /** The hub's version. */
  readonly version: string;
  /** Where the fleet keeps its files: `fleet` in the state folder. Only its owner can read it. */
  readonly folder: string;
  /** Told of what is wrong but keeps nothing from going on. */
  readonly onProblem: (text: string) => void;
  readonly policy: FleetPolicy;
  readonly events: FleetEvents;
  readonly approvals: FleetApprovals;
}

/** The calls on this machine that wait for a person. */
export interface FleetApprovals {
  list(): readonly PendingApproval[];
  /** Told when the list is another; returns how to stop. */
  onChange(listener: () => void): () => void;
  /** The question without secrets. */
  shown(row: PendingApproval): Promise<PendingApproval>;
  /** What "always" would pin; `undefined` for what cannot be allowed for good. */
  callHash(row: PendingApproval): string | undefined;
  /** The same for a question of another host, from what is shown of it. */
  shownCallHash(question: FleetQuestion): string | undefined;
  /** Throws if the question waits no longer or is about something else. */
  answer(id: string, answer: ApprovalAnswer): void;
  /** Whether only an answer with a factor may allow: then a key in a file is not enough. */
  needsFactor(): boolean;
  /** An answer from the fleet does not count: an alarm. */
  refused(text: string, row: PendingApproval): void;
  /** Whether this passkey has signed the challenge. */
  isPasskeyResponse(
    response: { readonly [field: string]: unknown },
    passkey: { readonly id: string; readonly publicKey: string; readonly rpId: string },
    challenge: string,
  ): Promise<boolean>;
}

/** The events of this machine for the fleet, and those of the fleet's hosts for this store. */
export interface FleetEvents {
  /** The id of the store, made once. A new store has another one. */
  readonly storeId: string;
  /** Stored events after a position, oldest first. The event that makes it `maxChars` or more is the last. */
  after(position: number, limit: number, maxChars: number): Promise<readonly StoredEvent[]>;
  /** The position of the newest event, also when retention has removed it. */
  lastPosition(): Promise<number>;
  /** Called after each commit with the new events of this machine. Returns how to stop. */
  onStored(listener: (arrivals: readonly Arrival[]) => void): () => void;
  /** Checks a line that a host sent. */
  accept(line: string, host: string): Accepted | Refusal;
  /** Stores events of hosts together with the marks, in one transaction. */
  append(events: readonly Accepted[], marks: Marks): Promise<{ readonly stored: number; readonly duplicates: number }>;
  /** A mark: of `append`, or set alone. */
  mark(name: string): Promise<number | undefined>;
  /** Those whose names begin so. */
  marks(prefix: string): Promise<Marks>;
  setMark(name: string, value: number): Promise<void>;
}

/** The policy of this host, as far as the fleet brings it. */
export interface FleetPolicy extends Pick<BundlePolicy, "offer" | "confirm" | "status"> {
  /** What is wrong with the table `[policy]` of this host, where, and what applies instead. */
  tableFault?(): string | undefined;
}

/** The fleet's part of a running hub. */
export interface FleetPart {
  /** What it is doing, for people and programs. */
  status(): { readonly [field: string]: unknown };
  /** A fleet hub's hosts, by name. */
  hosts?(): readonly FleetHost[];
  /** On a fleet hub: the questions of all hosts that wait, the oldest first. */
  questions?(): readonly FleetQuestion[];
  /** On a fleet hub: the people of the fleet, and what they do in its dashboard. Also while the server is away. */
  readonly people?: FleetPeople;
  /** Also while it still waits for the server. */
  close(): Promise<void>;
}

/** A person as the newest roster has them. */
export interface FleetPerson {
  readonly name: string;
  readonly role: "view" | "approve" | "policy" | "admin";
  readonly mayAnswer: boolean;
  readonly passkeys: readonly { readonly id: string; readonly publicKey: string; readonly rpId: string }[];
}

/** An admin lets one person make one passkey at one origin. */
export interface FleetEnrolment {
  readonly person: string;
  /** What the new passkey signs: base64url. */
  readonly challenge: string;
  readonly origin: string;
}

/** An answer that a person gives in the dashboard. */
export interface FleetAnswerGiven {
  /** The person who is signed in. */
  readonly by: string;
  /** The text that says what is answered, as the browser made it. */
  readonly statement: string;
  /** The passkey's signature of it. Without one, this hub signs for the person whom a proxy named, if the roster lets it. */
  readonly response?: { readonly [field: string]: unknown } | undefined;
}

/** The people of the fleet, for a fleet hub's dashboard. What is not in the roster is `undefined`. */
export interface FleetPeople {
  find(name: string): FleetPerson | undefined;
  /** The person who has the passkey with this id. */
  withPasskey(id: string): FleetPerson | undefined;
  /** Whether the roster lets this hub answer for a person whom a proxy named. */
  readonly vouches: boolean;
  /** Gives the answer to its host. Throws if it proves nothing, is about another question than the one that waits, or comes too late. */
  answer(given: FleetAnswerGiven): Promise<void>;
  /** The last entries of the audit, the newest first. */
  audit(limit: number): Promise<readonly FleetAuditEntry[]>;
  /** What an admin has allowed under this id: the digest of a code that the hub does not know. */
  enrolment(id: string): FleetEnrolment | undefined;
  /** Passes a new passkey on to the admin. `proof` shows them that it was made by the holder of the code. */
  enrol(id: string, made: { readonly response: object; readonly proof: string }): Promise<void>;
}

/** What `@hookline/fleet` exports for the hub. */
export interface FleetModule {
  /** Of the package; equal to the hub's. */
  readonly version: string;
  /** Puts what the hub joins with into its folder of the fleet; `null` removes it. Throws for what is not the credential of a hub. */
  keepCredential(folder: string, credential: object | null): void;
  /** Both return at once and wait for the server as long as it takes. */
  startHost(port: FleetPort, settings: FleetSettings): FleetPart;
  startFleetHub(port: FleetPort, settings: FleetSettings): FleetPart;
}
