import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { Lru } from '../../../util/lru.ts';

/** Store that retains codes after the process ends. */
export interface CodeTable {
  read(hash: string): Uint8Array | undefined;
  write(codes: ReadonlyMap<string, Uint8Array>): void;
}

const ENTRY_BYTES = 300;
const EMPTY_HASH: string = bytesToHex(EMPTY_CODE_HASH);
const NO_CODE = new Uint8Array(0);

/** Contract codes by code hash. */
export class Codes {
  readonly #table: CodeTable | undefined;
  readonly #onFault: (error: unknown) => void;
  readonly #known: Lru<string, Uint8Array>;

  /**
   * @param bytes bound on codes in memory
   * @param table persistent store
   * @param onFault called when the table fails; codes are then requested again
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

  /** @param codes codes by code hash, which the caller has verified */
  add(codes: ReadonlyMap<string, Uint8Array>): void {
    for (const [hash, code] of codes) this.#known.set(hash, code);
    this.#try(() => this.#table?.write(codes));
  }

  /** Runs work on the table and reports its errors, because a full disk or a broken environment must not fail a call. */
  #try<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#onFault(error);
      return undefined;
    }
  }
}
