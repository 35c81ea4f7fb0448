/** A geth whose consensus client is the harness: the engine API sets its head. */
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import { askerOf } from '../../clients/operations.ts';
import {
  expectValid,
  type LaunchedGeth,
  launchGeth,
  postToEngine,
  runGeth,
  writeSecret,
} from '../../geth/node/geth-node.ts';
import { installGeth } from '../../geth/node/geth-program.ts';
import { makeTemporaryFolder } from '../../support/embedded.ts';
import { BLOCK_GAS_LIMIT, type ForkBlock } from '../chain/fork-chain.ts';
import type { NodeProcess } from './peer.ts';

const CALL_MS = 10_000;
const START_ATTEMPTS = 20;
const START_PAUSE_MS = 200;
const ZERO_HASH = `0x${'00'.repeat(32)}`;

export class GethProcess implements NodeProcess {
  provided = 0;
  readonly #folder = makeTemporaryFolder();
  readonly #transport: 'http' | 'ws';
  #launched: LaunchedGeth | undefined;
  /** Hashes of blocks known to be in the node, as far as they were delivered since its start. */
  #known = new Set<string>();
  /** Whether `#known` is complete as far as later deliveries need it. */
  #isKnownWhole = true;

  constructor(genesisText: string, transport: 'http' | 'ws') {
    this.#transport = transport;
    writeFileSync(this.#genesisFile, genesisText);
  }

  static async start(genesisText: string, transport: 'http' | 'ws'): Promise<GethProcess> {
    const process = new GethProcess(genesisText, transport);
    await process.restart(true);
    return process;
  }

  get url(): string {
    const { http, webSocket } = this.#running;
    return this.#transport === 'http' ? `http://127.0.0.1:${http}` : `ws://127.0.0.1:${webSocket}`;
  }

  get httpUrl(): string {
    return `http://127.0.0.1:${this.#running.http}`;
  }

  get webSocketUrl(): string {
    return `ws://127.0.0.1:${this.#running.webSocket}`;
  }

  get pid(): number {
    return this.#running.child.pid as number;
  }

  async deliver(block: ForkBlock): Promise<void> {
    const missing: ForkBlock[] = [];
    let at: ForkBlock = block;
    for (; at.parent !== undefined && !(await this.#has(at)); at = at.parent) missing.push(at);
    try {
      for (const next of missing.reverse()) await this.give(next);
      await this.setHead(block.hash);
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  async #has({ hash }: ForkBlock): Promise<boolean> {
    if (this.#known.has(hash)) return true;
    // Blocks that the node stored before a restart need not be delivered again.
    if (this.#isKnownWhole) return false;
    const found = (await askerOf(this.httpUrl)('eth_getHeaderByHash', hash)) !== null;
    if (found) {
      this.#known.add(hash);
      this.#isKnownWhole = true;
    }
    return found;
  }

  /** Delivers a block whose parent the node has; its head stays. */
  async give(block: ForkBlock): Promise<void> {
    const call = ['engine_newPayloadV2', [payloadOf(block)]] as const;
    let result = await this.askEngine(...call);
    // A killed geth may have a block without its state, which it recomputes when that block becomes its head.
    if ((result as { readonly status: string }).status === 'ACCEPTED' && block.parent !== undefined) {
      await this.setHead(block.parent.hash);
      result = await this.askEngine(...call);
    }
    expectValid(result);
    this.provided++;
    this.#known.add(block.hash);
  }

  /** Sets the head to a block that the node has. */
  async setHead(hash: string): Promise<void> {
    const state = { headBlockHash: hash, safeBlockHash: ZERO_HASH, finalizedBlockHash: ZERO_HASH };
    expectValid(await this.askEngine('engine_forkchoiceUpdatedV2', [state, null]));
  }

  askEngine(method: string, params: readonly unknown[]): Promise<unknown> {
    const call = { jsonrpc: '2.0', id: 1, method, params };
    return postToEngine(this.#running.engine, call, AbortSignal.timeout(CALL_MS));
  }

  pause(): void {
    this.#running.child.kill('SIGSTOP');
  }

  goOn(): void {
    this.#running.child.kill('SIGCONT');
  }

  get end(): string | undefined {
    if (this.#launched === undefined) return undefined;
    const { child, printed } = this.#launched;
    if (child.exitCode === null && child.signalCode === null) return undefined;
    return `geth ended with ${child.exitCode ?? child.signalCode}:\n${printed()}`;
  }

  async kill(): Promise<void> {
    const child = this.#launched?.child;
    if (child === undefined || this.end !== undefined) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async restart(isNew: boolean): Promise<void> {
    const program = installGeth();
    const folder = join(this.#folder.path, 'data');
    const data = ['--datadir', folder];
    if (isNew) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      runGeth(program, [...data, '--state.scheme', 'hash', 'init', this.#genesisFile]);
    }
    this.#forget();
    // A new node has only the genesis block.
    this.#isKnownWhole = isNew;
    const options = [...data, '--cache', '64', '--authrpc.jwtsecret', writeSecret(this.#folder.path)];
    for (let attempt = 1; ; attempt++) {
      try {
        this.#launched = await launchGeth(
          program,
          options,
          { blockGasLimit: BLOCK_GAS_LIMIT },
          this.#launched,
        );
        return;
      } catch (error) {
        // A connection may have taken the port meanwhile.
        if (attempt === START_ATTEMPTS) throw error;
        await sleep(START_PAUSE_MS);
      }
    }
  }

  async dispose(): Promise<void> {
    await this.kill();
    this.#folder.remove();
  }

  /** After the end of the process or a failed call, its blocks have to be queried again. */
  #forget(): void {
    this.#known = new Set();
    this.#isKnownWhole = false;
  }

  get #genesisFile(): string {
    return join(this.#folder.path, 'genesis.json');
  }

  get #running(): LaunchedGeth {
    if (this.#launched === undefined) throw new Error('geth was not started');
    return this.#launched;
  }
}

/** `ExecutionPayloadV2` of the engine API. */
function payloadOf({ executed, hash }: ForkBlock): Record<string, unknown> {
  const { header, transactions } = executed.block;
  return {
    parentHash: bytesToHex(header.parentHash),
    feeRecipient: bytesToHex(header.beneficiary),
    stateRoot: bytesToHex(header.stateRoot),
    receiptsRoot: bytesToHex(header.receiptsRoot),
    logsBloom: bytesToHex(header.logsBloom),
    prevRandao: bytesToHex(header.mixHash),
    blockNumber: encodeQuantity(header.number),
    gasLimit: encodeQuantity(header.gasLimit),
    gasUsed: encodeQuantity(header.gasUsed),
    timestamp: encodeQuantity(header.timestamp),
    extraData: bytesToHex(header.extraData),
    baseFeePerGas: encodeQuantity(header.baseFeePerGas ?? 0n),
    blockHash: hash,
    transactions: transactions.map(({ encoded }) => bytesToHex(encoded)),
    withdrawals: [],
  };
}
