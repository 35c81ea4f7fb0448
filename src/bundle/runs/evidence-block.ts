import type { ChainConfig } from '../../chain/chain-config.ts';
import type { SimulatedChain } from '../../engine/simulation/simulated-chain.ts';
import { MissingState } from '../../engine/state/missing-state.ts';
import { PartialState, type StateParts } from '../../engine/state/partial-state.ts';
import type { AccountState, StateReader } from '../../evm/host.ts';
import { type AccountLeaf, decodeAccountLeaf } from '../../primitives/account-leaf.ts';
import { bytesEqual } from '../../primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts';
import { EMPTY_TRIE_ROOT, keccak256 } from '../../primitives/keccak.ts';
import { asBytes, decodeRlp } from '../../primitives/rlp.ts';
import type { StoredHeader } from '../../store/chain-reader.ts';
import { MissingNode, type Pieces, readHeader, readTrie } from '../evidence.ts';
import { BundleError, type Rules } from '../format.ts';
import { createConfig, readEngineHeader } from './rules.ts';

/** A block, with the parts of its state and the earlier headers that the evidence has. */
export class EvidenceBlock implements SimulatedChain, StateParts {
  readonly nodes: Pieces;
  readonly codes: Pieces;
  readonly stored: StoredHeader;
  readonly config: ChainConfig;
  /** Any account that has the code with this hash. */
  readonly ownerOf: Map<string, string> = new Map();
  readonly #ancestors: Uint8Array[] = [];
  /** Hashes of the blocks before it, the parent first. */
  readonly #hashes: Uint8Array[];
  #hashesUsed = 0;

  /**
   * @param encoded RLP of the header
   * @throws BundleError where the header cannot be of a block with these rules
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

  /** Adds the parent of the oldest header. @throws BundleError where it is not the parent */
  addAncestor(encoded: Uint8Array): void {
    readHeader(encoded, bytesToHex(this.oldestHash));
    this.#hashes.push(readEngineHeader(encoded).parentHash);
    this.#ancestors.push(encoded);
  }

  /** Number of the oldest block of which the header is at hand. */
  get oldest(): bigint {
    return this.stored.header.number - BigInt(this.#ancestors.length);
  }

  /** Hash of the block before that one. */
  get oldestHash(): Uint8Array {
    return this.#hashes.at(-1) as Uint8Array;
  }

  /** As many ancestors as were needed. */
  get usedAncestors(): readonly Uint8Array[] {
    return this.#ancestors.slice(0, Math.max(0, this.#hashesUsed - 1));
  }

  forgetUse(): void {
    this.nodes.forgetUse();
    this.codes.forgetUse();
    this.#hashesUsed = 0;
  }

  /** @throws BundleError where something was not needed */
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

  /** A state for one execution: an EVM remembers what it has read, and a reader of the evidence has to see each use. */
  openState(): StateReader {
    return new PartialState(this);
  }

  /** Nonce of an account, 0n where it does not exist. */
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

  /** The value under the hash of a key, `NONE` where there is none; undefined where a node is missing. */
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
