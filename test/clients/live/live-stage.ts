/** A service before a node whose chain grows: each block has a call of a contract that logs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { encodeCall } from '../../../scripts/chains/encode-call.ts';
import { eventTopic } from '../../../scripts/contracts/abi.ts';
import { LOGGER_RUNTIME } from '../../../scripts/contracts/logger.ts';
import { type Anvil, startAnvil } from '../../support/anvil.ts';
import { makeTemporaryFolder } from '../../support/embedded.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { COLLECTED, EVENT, type LiveSubject } from './live-operations.ts';

const CONTRACT = `0x${'1d'.repeat(20)}`;
const TOPIC = eventTopic(EVENT);
const TO = `0x${'77'.repeat(20)}`;
const SENDER = 9;
/** Interval between a transaction and its block, and between that block and the next transaction, ms. */
const HALF_MS = 150;
/** Keys of anvil's first accounts. */
const KEYS: readonly `0x${string}`[] = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
  '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
  '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
];

export class LiveStage {
  readonly anvil: Anvil;
  readonly service: RunningService;
  readonly #folder: ReturnType<typeof makeTemporaryFolder>;
  #isGrowing = true;
  #growth: Promise<void> | undefined;
  #keysUsed = 0;

  constructor(anvil: Anvil, service: RunningService, folder: ReturnType<typeof makeTemporaryFolder>) {
    this.anvil = anvil;
    this.service = service;
    this.#folder = folder;
    this.#growth = this.#grow();
  }

  static async open(): Promise<LiveStage> {
    const anvil = await startAnvil({ args: ['--no-mining'] });
    await anvil.request('anvil_setCode', CONTRACT, bytesToHex(LOGGER_RUNTIME));
    await anvil.request('evm_mine');
    const folder = makeTemporaryFolder();
    const service = await startService({
      dataDir: folder.path,
      defaultNetwork: 'live',
      networks: { live: { hosts: ['live.localhost'], upstreams: [anvil.webSocketUrl] } },
    });
    return new LiveStage(anvil, service, folder);
  }

  /** Creates the subject for one client. */
  createSubject(): LiveSubject {
    const key = KEYS[this.#keysUsed++ % KEYS.length] as `0x${string}`;
    const { authority } = this.service;
    return {
      http: `http://${authority}/v3/demo`,
      webSocket: `ws://${authority}/ws/v3/demo`,
      contract: CONTRACT,
      topic: TOPIC,
      key,
      to: TO,
      count: COLLECTED,
    };
  }

  async close(): Promise<void> {
    this.#isGrowing = false;
    await this.#growth;
    await this.service.close();
    await this.anvil.kill();
    this.#folder.remove();
  }

  async #grow(): Promise<void> {
    const accounts = (await this.anvil.request('eth_accounts')) as readonly string[];
    const data = bytesToHex(encodeCall('log1(uint256,bytes32)', 1n, BigInt(TOPIC)));
    const call = { from: accounts[SENDER], to: CONTRACT, data, gas: '0x186a0' };
    while (this.#isGrowing) {
      await this.anvil.request('eth_sendTransaction', call);
      await sleep(HALF_MS);
      await this.anvil.request('evm_mine');
      await sleep(HALF_MS);
    }
  }
}
