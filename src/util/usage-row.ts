/** Calls with one key to one method of one network. */
export type UsageRow = {
  /** Id of the key, never the key itself. */
  readonly key: string;
  readonly network: string;
  /** Label of the method, never text of a client. */
  readonly method: string;
  readonly calls: number;
  /** Calls of `calls` that a limit refused. */
  readonly refused: number;
  readonly credits: number;
};

/** Stands in the place of the key in rows beyond the maximum number of rows, so that sums over all keys remain exact. */
export const OTHER_KEY = 'other';
