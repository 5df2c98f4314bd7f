/** The options of all the actions of `hookline hooks`. */
export interface HooksOptions {
  readonly json?: boolean;
  /** The project's folder, in full. */
  readonly project: string;
  /** The folder that was named: there may be a link by now where a project was. */
  readonly place?: string;
  readonly event?: string;
  readonly payload?: string;
  readonly language?: string;
  readonly yes?: boolean;
  readonly reviewed?: boolean;
}
