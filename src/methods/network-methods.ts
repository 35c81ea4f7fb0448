/** What a network's configuration says of its methods. An entry is a method's name, or a namespace's: `debug_*`. */
export type NetworkMethodsParts = {
  /** Of what is served by default nothing but these; undefined: all of it. */
  readonly only?: readonly string[] | undefined;
  readonly except: readonly string[];
  /** Methods of its nodes that are served by default. */
  readonly reads: Iterable<string>;
  /** Further methods of its nodes. */
  readonly also: readonly string[];
  /** Whether a method of a namespace may be served. */
  readonly onlyReads: (name: string) => boolean;
  /** The namespace of a method that nodes have and that is passed on by default; absent where there are no nodes. */
  readonly findPassed?: (name: string) => string | undefined;
  /** What a method of its development node is counted as; absent where it serves none. */
  readonly findDevelopment?: (name: string) => string | undefined;
};

/** Which methods a network serves. */
export class NetworkMethods {
  /** Further methods of its nodes: names, and namespaces as `trace_*`. */
  readonly also: readonly string[];
  readonly #only: NameList | undefined;
  readonly #except: NameList | undefined;
  readonly #reads: ReadonlySet<string>;
  readonly #also: NameList;
  readonly #onlyReads: (name: string) => boolean;
  readonly #findPassed: ((name: string) => string | undefined) | undefined;
  readonly #findDevelopment: ((name: string) => string | undefined) | undefined;

  constructor({ only, except, reads, also, onlyReads, findPassed, findDevelopment }: NetworkMethodsParts) {
    this.#only = only === undefined ? undefined : new NameList(only);
    this.#except = except.length === 0 ? undefined : new NameList(except);
    this.#reads = new Set(reads);
    this.also = also;
    this.#also = new NameList(also);
    this.#onlyReads = onlyReads;
    this.#findPassed = findPassed;
    this.#findDevelopment = findDevelopment;
  }

  /** Whether a method of the service's own is served: by its name on the wire, or the one in the table. */
  offers(wireName: string, name: string): boolean {
    if (this.excludes(wireName) || this.excludes(name)) return false;
    const only = this.#only;
    return only === undefined || only.has(wireName) || only.has(name);
  }

  /** Whether the network leaves a method out by name. */
  excludes(name: string): boolean {
    return this.#except?.has(name) === true;
  }

  /** Whether a method is one of those that the network names beside what is served by default. */
  lists(name: string): boolean {
    return this.#also.has(name) && !this.excludes(name);
  }

  /** Whether nodes may be asked for a method of theirs because it is passed on by default. */
  passes(name: string): boolean {
    return this.#findPassed?.(name) !== undefined && this.#onlyReads(name) && this.offers(name, name);
  }

  /** What a method of the network's development node is counted as; undefined where it is none, or not served. */
  findDevelopment(name: string): string | undefined {
    const label = this.#findDevelopment?.(name);
    return label !== undefined && this.offers(name, name) ? label : undefined;
  }

  /**
   * How a method that is none of the service's own is served: under which name it is counted, which is the entry's where the
   * method's name is the client's choice; undefined: not at all.
   */
  findNodeMethod(name: string): string | undefined {
    if (this.#reads.has(name) && this.offers(name, name)) return name;
    const entry = this.#also.find(name);
    if (entry !== undefined && !this.excludes(name) && (entry === name || this.#onlyReads(name)))
      return entry;
    return this.passes(name) ? this.#findPassed?.(name) : undefined;
  }
}

/** Names, and namespaces that stand for all their names. */
class NameList {
  readonly #names: ReadonlySet<string>;
  /** With their underscore. */
  readonly #namespaces: ReadonlySet<string>;

  constructor(entries: readonly string[]) {
    this.#names = new Set(entries.filter((entry) => !entry.endsWith('*')));
    this.#namespaces = new Set(entries.flatMap((entry) => (entry.endsWith('*') ? [entry.slice(0, -1)] : [])));
  }

  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  /** The entry that stands for this name. */
  find(name: string): string | undefined {
    if (this.#names.has(name)) return name;
    const namespace = name.slice(0, name.indexOf('_') + 1);
    return this.#namespaces.has(namespace) ? `${namespace}*` : undefined;
  }
}
