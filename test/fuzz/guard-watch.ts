import type { Engine, GuardRegion } from './engine.ts';

const patternAt = (offset: number): number => (offset * 167 + 0x5a) & 0xff;

/** Fills the guards of an engine's memory with a pattern and checks that nothing else writes to them. */
export class GuardWatch {
  readonly #engine: Engine;
  /** Lengths of guards filled so far, by offset. */
  readonly #filled = new Map<number, number>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** @returns description of the guard that was written to, if any; new guards are filled */
  check(): string | undefined {
    const memory = this.#engine.guardedMemory();
    if (memory === undefined) return undefined;
    for (const guard of memory.guards) {
      const problem = this.#checkRegion(memory.bytes, guard);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #checkRegion(bytes: Uint8Array, { offset, length }: GuardRegion): string | undefined {
    const filled = this.#filled.get(offset) ?? 0;
    for (let at = offset; at < offset + filled; at++) {
      if (bytes[at] !== patternAt(at)) return `guard at ${offset}: byte ${at - offset} is ${bytes[at]}`;
    }
    for (let at = offset + filled; at < offset + length; at++) bytes[at] = patternAt(at);
    this.#filled.set(offset, length);
    return undefined;
  }
}
