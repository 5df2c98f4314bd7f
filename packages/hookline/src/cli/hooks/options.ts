/** The options of all the actions of `hookline hooks`. */
export interface HooksOptions {
  readonly json?: boolean;
  /** The project's folder, in full. */
  readonly project: string;
  readonly event?: string;
  readonly language?: string;
  readonly yes?: boolean;
  readonly reviewed?: boolean;
}
