/** Method configuration of a network. An entry is a method name, or a namespace such as `debug_*`. */
export type NetworkMethodsParts = {
  /** Entries that restrict which of the default methods are served. If undefined, all default methods are served. */
  readonly only?: readonly string[] | undefined;
  readonly except: readonly string[];
  /** Node methods that are served by default. */
  readonly reads: Iterable<string>;
  /** Node methods that are served in addition to `reads`. */
  readonly also: readonly string[];
  /** Whether a node method only reads. If only a namespace entry matches a method, the method is served only if it only reads. */
  readonly onlyReads: (name: string) => boolean;
  /** Returns the namespace entry of a node method that is passed on by default. Absent for a network without nodes. */
  readonly findPassed?: (name: string) => string | undefined;
  /** Returns the metrics label of a development method. `findDevelopment` is absent where development methods are not served. */
  readonly findDevelopment?: (name: string) => string | undefined;
};

/** Set of methods that a network serves. */
export class NetworkMethods {
  /** Node methods that are served in addition: names, and namespaces such as `trace_*`. */
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

  /**
   * Whether a method of the service is served. Configuration entries may name a method as in JSON-RPC, or as in the table of methods (`l2_` for the
   * rollup's prefix).
   */
  offers(wireName: string, name: string): boolean {
    if (this.excludes(wireName) || this.excludes(name)) return false;
    const only = this.#only;
    return only === undefined || only.has(wireName) || only.has(name);
  }

  /** Whether the configuration excludes a method by name. */
  excludes(name: string): boolean {
    return this.#except?.has(name) === true;
  }

  /** Whether the configuration adds a method to the methods that are served by default. */
  lists(name: string): boolean {
    return this.#also.has(name) && !this.excludes(name);
  }

  /** Whether a node method is passed on by default. */
  passes(name: string): boolean {
    return this.#findPassed?.(name) !== undefined && this.#onlyReads(name) && this.offers(name, name);
  }

  /** Returns the metrics label of a development method that is served. Returns undefined for any other method. */
  findDevelopment(name: string): string | undefined {
    const label = this.#findDevelopment?.(name);
    return label !== undefined && this.offers(name, name) ? label : undefined;
  }

  /**
   * Returns the metrics label under which a node method is served. Returns undefined where the method is not served. If only a namespace entry
   * matches, the label is the entry, because the client chooses the method's name.
   */
  findNodeMethod(name: string): string | undefined {
    if (this.#reads.has(name) && this.offers(name, name)) return name;
    const entry = this.#also.find(name);
    if (entry !== undefined && !this.excludes(name) && (entry === name || this.#onlyReads(name)))
      return entry;
    return this.passes(name) ? this.#findPassed?.(name) : undefined;
  }
}

/** Set of method names and namespaces. A namespace matches all its methods. */
class NameList {
  readonly #names: ReadonlySet<string>;
  /** Namespaces including their underscore, such as `trace_`. */
  readonly #namespaces: ReadonlySet<string>;

  constructor(entries: readonly string[]) {
    this.#names = new Set(entries.filter((entry) => !entry.endsWith('*')));
    this.#namespaces = new Set(entries.flatMap((entry) => (entry.endsWith('*') ? [entry.slice(0, -1)] : [])));
  }

  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  /** Returns the entry that matches a method name: the name itself, or its namespace such as `debug_*`. */
  find(name: string): string | undefined {
    if (this.#names.has(name)) return name;
    const namespace = name.slice(0, name.indexOf('_') + 1);
    return this.#namespaces.has(namespace) ? `${namespace}*` : undefined;
  }
}
