import type { ChainConfig } from '../../../packages/ethereum/codecs/chain-config.ts';
import { type AccountLeaf, decodeAccountLeaf } from '../../../packages/ethereum/primitives/account-leaf.ts';
import { bytesEqual } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_TRIE_ROOT, keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { asBytes, decodeRlp } from '../../../packages/ethereum/primitives/rlp.ts';
import type { AccountState, StateReader } from '../../../packages/evm/interpreter/host.ts';
import type { SimulatedChain } from '../../chains/embedded/simulation/simulated-chain.ts';
import { MissingState } from '../../chains/embedded/state/missing-state.ts';
import { PartialState, type StateParts } from '../../chains/embedded/state/partial-state.ts';
import type { StoredHeader } from '../../chains/embedded/store/chain-reader.ts';
import { MissingNode, type Pieces, readHeader, readTrie } from '../evidence.ts';
import { BundleError, type Rules } from '../format.ts';
import { createConfig, readEngineHeader } from './rules.ts';

/** Block whose state and ancestor headers are read from evidence. */
export class EvidenceBlock implements SimulatedChain, StateParts {
  readonly nodes: Pieces;
  readonly codes: Pieces;
  readonly stored: StoredHeader;
  readonly config: ChainConfig;
  /** For each code hash, the address of one account with this code. */
  readonly ownerOf: Map<string, string> = new Map();
  readonly #ancestors: Uint8Array[] = [];
  /** Hashes of the ancestors, starting with the parent. */
  readonly #hashes: Uint8Array[];
  #hashesUsed = 0;

  /**
   * @param encoded RLP of the header
   * @throws BundleError if the header cannot belong to a block with these rules
   */
  constructor(encoded: Uint8Array, rules: Rules, nodes: Pieces, codes: Pieces) {
    const header = readEngineHeader(encoded);
    const hash = keccak256(encoded);
    this.stored = { header, hash, hashText: bytesToHex(hash), totalDifficulty: 0n };
    this.config = createConfig(rules, header);
    this.nodes = nodes;
    this.codes = codes;
    this.#hashes = [header.parentHash];
  }

  /** Adds the header of the oldest block's parent. @throws BundleError if the header has another hash */
  addAncestor(encoded: Uint8Array): void {
    readHeader(encoded, bytesToHex(this.oldestHash));
    this.#hashes.push(readEngineHeader(encoded).parentHash);
    this.#ancestors.push(encoded);
  }

  /** Number of the oldest block whose header has been added. */
  get oldest(): bigint {
    return this.stored.header.number - BigInt(this.#ancestors.length);
  }

  /** Hash of the parent of the oldest block whose header has been added. */
  get oldestHash(): Uint8Array {
    return this.#hashes.at(-1) as Uint8Array;
  }

  /** Headers of the ancestors that were used since `forgetUse`, starting with the parent. */
  get usedAncestors(): readonly Uint8Array[] {
    return this.#ancestors.slice(0, Math.max(0, this.#hashesUsed - 1));
  }

  forgetUse(): void {
    this.nodes.forgetUse();
    this.codes.forgetUse();
    this.#hashesUsed = 0;
  }

  /** @throws BundleError if a part of the evidence was not used */
  refuseUnused(): void {
    this.nodes.refuseUnused('trie node');
    this.codes.refuseUnused('code');
    if (this.usedAncestors.length < this.#ancestors.length)
      throw new BundleError('the evidence has a header that the answer does not need');
  }

  getHeader(number: bigint): StoredHeader | undefined {
    return this.stored.header.number === number ? this.stored : undefined;
  }

  getBlockHash(number: bigint): Uint8Array {
    const back = Number(this.stored.header.number - number);
    const hash = this.#hashes[back - 1];
    if (hash === undefined) throw new MissingState({ kind: 'blockHash', number });
    this.#hashesUsed = Math.max(this.#hashesUsed, back);
    return hash;
  }

  /** Opens a new state for each execution. An EVM caches its reads, so a shared state would hide the use of evidence by later executions. */
  openState(): StateReader {
    return new PartialState(this);
  }

  /** Returns the nonce of an account; 0n if the account does not exist. @throws MissingState if the evidence lacks the account */
  getNonce(address: string): bigint {
    const account = this.findAccount(address);
    if (account === undefined) throw new MissingState({ kind: 'account', address });
    return account?.nonce ?? 0n;
  }

  findAccount(address: string): AccountState | null | undefined {
    const leaf = this.#findLeaf(address);
    if (leaf == null) return leaf;
    const { nonce, balance, storageRoot, codeHash } = leaf;
    this.ownerOf.set(bytesToHex(codeHash), address);
    return { nonce, balance, codeHash, hasStorage: !bytesEqual(storageRoot, EMPTY_TRIE_ROOT) };
  }

  findSlot(address: string, slot: string): Uint8Array | undefined {
    const root = this.#findLeaf(address)?.storageRoot;
    const value = root && this.#read(root, slot);
    return value === undefined || value === NONE ? value : asBytes(decodeRlp(value), 'slot');
  }

  findCode(hash: string): Uint8Array | undefined {
    return this.codes.find(hexToBytes(hash));
  }

  #findLeaf(address: string): AccountLeaf | null | undefined {
    const leaf = this.#read(this.stored.header.stateRoot, address);
    return leaf === undefined ? undefined : leaf === NONE ? null : decodeAccountLeaf(leaf);
  }

  /** Returns the value at the hash of a key, or `NONE` if there is no value; undefined if a trie node is missing. */
  #read(root: Uint8Array, key: string): Uint8Array | undefined {
    try {
      return readTrie(root, keccak256(hexToBytes(key)), this.nodes) ?? NONE;
    } catch (error) {
      if (error instanceof MissingNode) return undefined;
      throw error;
    }
  }
}

const NONE = new Uint8Array(0);
