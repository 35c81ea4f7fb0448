import type { Figure } from '../../bench/support/figures.ts';

/** Something that happens to a service in operation, and the figures that say how it went. */
export type Scenario = {
  readonly name: string;
  /** What this machine lacks for it; undefined when it has everything. */
  findLack(): string | undefined;
  /** @param say a line of what was seen on the way */
  run(say: (line: string) => void): Promise<readonly Figure[]>;
};
