import type { Figure } from '../../bench/support/figures.ts';

/** An event in the operation of a service, and the figures that measure its effect. */
export type Scenario = {
  readonly name: string;
  /** Describes what this machine lacks for it; undefined when it has everything. */
  findLack(): string | undefined;
  /** @param say prints a line about an observation */
  run(say: (line: string) => void): Promise<readonly Figure[]>;
};
