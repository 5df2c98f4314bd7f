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
  /** The certificates that the server's must come from, as PEM. Their presence requires TLS. */
  readonly ca?: string | undefined;
}

/** What the hub gives to the fleet. */
export interface FleetPort {
  /** The hub's version. */
  readonly version: string;
  /** Where the fleet keeps its files: `fleet` in the state folder. Only its owner can read it. */
  readonly folder: string;
  /** Told of what is wrong but keeps nothing from going on. */
  readonly onProblem: (text: string) => void;
}

/** The fleet's part of a running hub. */
export interface FleetPart {
  close(): Promise<void>;
}

/** What `@hookline/fleet` exports for the hub. */
export interface FleetModule {
  /** Of the package; equal to the hub's. */
  readonly version: string;
  startHost(port: FleetPort, settings: FleetSettings): Promise<FleetPart>;
  startFleetHub(port: FleetPort, settings: FleetSettings): Promise<FleetPart>;
}
