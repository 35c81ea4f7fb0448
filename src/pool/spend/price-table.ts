/** Credits of a call by method name or by namespace (`debug_*`). `default` applies to all other methods. */
export type Prices = Readonly<Record<string, number>>;

/** Prices of calls at one node. A method name is preferred over its namespace, and a namespace over `default`. */
export class PriceTable {
  readonly #prices: ReadonlyMap<string, number>;
  readonly #hasNamespaces: boolean;
  readonly #default: number;

  constructor(prices: Prices) {
    this.#prices = new Map(Object.entries(prices));
    this.#hasNamespaces = Object.keys(prices).some((name) => name.endsWith('_*'));
    this.#default = this.#prices.get('default') ?? 0;
  }

  priceOf(method: string): number {
    const exact = this.#prices.get(method);
    if (exact !== undefined) return exact;
    if (!this.#hasNamespaces) return this.#default;
    return this.#prices.get(`${method.slice(0, method.indexOf('_') + 1)}*`) ?? this.#default;
  }
}
