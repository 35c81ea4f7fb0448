export type TokenBucketOptions = {
  /** Tokens that one ordinary event earns. */
  readonly share: number;
  /** Tokens at the start, and the most there ever are. */
  readonly reserve: number;
};

/** Keeps something extraordinary to a share of the ordinary, with a reserve for bursts. */
export class TokenBucket {
  readonly #options: TokenBucketOptions;
  #tokens: number;

  constructor(options: TokenBucketOptions) {
    this.#options = options;
    this.#tokens = options.reserve;
  }

  /** One ordinary event. */
  earn(): void {
    this.#tokens = Math.min(this.#options.reserve, this.#tokens + this.#options.share);
  }

  /** Pays for one extraordinary event, or says that it must not be. */
  tryTake(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
