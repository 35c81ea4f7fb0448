/** Reads the functions that ran within an interval from a CPU profile (`--cpu-prof`). */
type ProfileNode = {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
};
type RawProfile = {
  readonly nodes: readonly ProfileNode[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

/** Share of an interval's samples in one function; lists are sorted by share, descending. */
export type Share = { readonly name: string; readonly share: number };
export type Hot = { readonly roots: readonly Share[]; readonly leaves: readonly Share[] };

const IDLE = '(idle)';
const ROOT = '(root)';

export class Profile {
  readonly #nodes = new Map<number, ProfileNode>();
  readonly #parents = new Map<number, number>();
  readonly #samples: readonly number[];
  /** Time of each sample, microseconds of the monotonic clock. */
  readonly #times: Float64Array;

  constructor(text: string) {
    const { nodes, startTime, samples, timeDeltas } = JSON.parse(text) as RawProfile;
    for (const node of nodes) {
      this.#nodes.set(node.id, node);
      for (const child of node.children ?? []) this.#parents.set(child, node.id);
    }
    this.#samples = samples;
    let at = startTime;
    this.#times = Float64Array.from(timeDeltas, (delta) => {
      at += delta;
      return at;
    });
  }

  /** Summarises the samples between two times: the outermost functions, and those that ran. */
  read(from: number, to: number): Hot {
    const roots = new Map<string, number>();
    const leaves = new Map<string, number>();
    let count = 0;
    for (
      let at = this.#firstAfter(from);
      at < this.#times.length && (this.#times[at] as number) <= to;
      at++
    ) {
      const id = this.#samples[at] as number;
      const leaf = this.#nameOf(id);
      if (leaf === IDLE) continue;
      count++;
      leaves.set(leaf, (leaves.get(leaf) ?? 0) + 1);
      const root = this.#nameOf(this.#rootOf(id));
      roots.set(root, (roots.get(root) ?? 0) + 1);
    }
    return { roots: rank(roots, count), leaves: rank(leaves, count) };
  }

  #firstAfter(time: number): number {
    let [low, high] = [0, this.#times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[middle] as number) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the outermost function of a sample, below the root of the tree. */
  #rootOf(id: number): number {
    let at = id;
    for (;;) {
      const parent = this.#parents.get(at);
      if (parent === undefined || this.#nodes.get(parent)?.callFrame.functionName === ROOT) return at;
      at = parent;
    }
  }

  #nameOf(id: number): string {
    const { functionName = '', url = '', lineNumber = 0 } = this.#nodes.get(id)?.callFrame ?? {};
    if (functionName.startsWith('(') && url === '') return functionName;
    return `${functionName || '(anonymous)'} ${url.slice(url.lastIndexOf('/') + 1)}:${lineNumber + 1}`;
  }
}

function rank(counts: ReadonlyMap<string, number>, total: number): readonly Share[] {
  return [...counts].sort(([, a], [, b]) => b - a).map(([name, count]) => ({ name, share: count / total }));
}
