import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { Lru } from '../../../util/lru.ts';

/** Persistent store of contract codes by code hash. */
export interface CodeTable {
  read(hash: string): Uint8Array | undefined;
  write(codes: ReadonlyMap<string, Uint8Array>): void;
}

const ENTRY_BYTES = 300;
const EMPTY_HASH: string = bytesToHex(EMPTY_CODE_HASH);
const NO_CODE = new Uint8Array(0);

/** Cache of contract codes by code hash, in memory and in a persistent store. */
export class Codes {
  readonly #table: CodeTable | undefined;
  readonly #onFault: (error: unknown) => void;
  readonly #known: Lru<string, Uint8Array>;

  /**
   * @param bytes limit on the heap size of codes in memory, bytes
   * @param table persistent store; undefined if there is none
   * @param onFault called with errors of the persistent store; codes that cannot be read are requested from nodes again
   */
  constructor(bytes: number, table: CodeTable | undefined, onFault: (error: unknown) => void) {
    this.#table = table;
    this.#onFault = onFault;
    this.#known = new Lru(
      bytes,
      Number.POSITIVE_INFINITY,
      undefined,
      ({ length }: Uint8Array) => length + ENTRY_BYTES,
    );
  }

  /** Approximate heap size of the codes in memory, bytes. */
  get bytes(): number {
    return this.#known.weight;
  }

  find(hash: string): Uint8Array | undefined {
    if (hash === EMPTY_HASH) return NO_CODE;
    const known = this.#known.get(hash);
    if (known !== undefined) return known;
    const stored = this.#try(() => this.#table?.read(hash));
    if (stored === undefined || bytesToHex(keccak256(stored)) !== hash) return undefined;
    this.#known.set(hash, stored);
    return stored;
  }

  /** @param codes codes by code hash; the caller must have verified the hashes */
  add(codes: ReadonlyMap<string, Uint8Array>): void {
    for (const [hash, code] of codes) this.#known.set(hash, code);
    this.#try(() => this.#table?.write(codes));
  }

  /** Runs work on the persistent store. Errors are reported and dropped, because a full disk or a broken LMDB environment must not fail a call. */
  #try<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#onFault(error);
      return undefined;
    }
  }
}
