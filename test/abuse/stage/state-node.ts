/** A node in a separate process, whose state has so many accounts that each needs a proof of its own. */
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { encodeBlock } from '../../../packages/ethereum/codecs/block.ts';
import { importChain } from '../../../src/service/import.ts';
import { SILENT_PROGRESS } from '../../../src/service/import-progress.ts';
import { ChainBuilder } from '../../support/chain-builder.ts';
import { Program } from '../../support/program.ts';
import { createGenesis } from '../../support/test-chain.ts';
import { FIRST_ACCOUNT, STATE_ACCOUNTS } from '../kinds/proven-state.ts';

const CHAIN_ID = 1_337;

export class StateNode {
  readonly #program: Program;
  /** Configuration of the network before it, which executes calls itself. */
  readonly network: Readonly<Record<string, unknown>>;

  private constructor(program: Program, network: Readonly<Record<string, unknown>>) {
    this.#program = program;
    this.network = network;
  }

  /** @param priority of its process */
  static async start(priority: number): Promise<StateNode> {
    const program = new Program({});
    const genesis = join(program.folder, 'genesis.json');
    const blocks = join(program.folder, 'blocks.rlp');
    const data = join(program.folder, 'chain');
    const text = createGenesis({ revision: 'prague', alloc: listAccounts() });
    writeFileSync(genesis, text);
    writeFileSync(blocks, encodeBlock(new ChainBuilder(text).genesisBlock));
    await importChain({ genesis, blocks, data, seal: 'ethash-format' }, SILENT_PROGRESS);
    program.configure({ networks: { state: { embedded: { data }, hosts: ['127.0.0.1'] } } });
    const { key } = await program.createKey();
    await program.start();
    setPriority(program.pid, priority);
    return new StateNode(program, {
      hosts: ['state.localhost'],
      upstreams: [`http://127.0.0.1:${program.port}/state/v3/${key}`],
      pool: { chainId: CHAIN_ID },
      execution: 'local',
      chain: genesis,
    });
  }

  get pid(): number {
    return this.#program.pid;
  }

  close(): Promise<void> {
    return this.#program.dispose();
  }
}

function listAccounts(): Record<string, { readonly balance: string }> {
  const accounts: Record<string, { readonly balance: string }> = {};
  for (let index = 0; index < STATE_ACCOUNTS; index++)
    accounts[`0x${(FIRST_ACCOUNT + index).toString(16).padStart(40, '0')}`] = { balance: '1' };
  return accounts;
}
