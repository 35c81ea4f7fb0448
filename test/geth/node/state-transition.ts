/** Executes one block with geth without a chain: `evm t8n` takes a state, a block's environment and its transactions. */
import { spawn } from 'node:child_process';
import { installGeth } from './geth-program.ts';

const TIME_LIMIT_MS = 60_000;

/** Quantities and bytes as 0x hex. */
export type AllocJson = Readonly<
  Record<
    string,
    {
      readonly nonce?: string;
      readonly balance: string;
      readonly code?: string;
      readonly storage?: Readonly<Record<string, string>>;
    }
  >
>;

export type TransitionInput = {
  /** geth's name of a fork. */
  readonly fork: string;
  readonly chainId: bigint;
  readonly alloc: AllocJson;
  readonly env: Readonly<Record<string, unknown>>;
  /** RLP list of signed transactions. */
  readonly transactions: string;
};

export type TransitionReceipt = {
  readonly status: string;
  readonly cumulativeGasUsed: string;
  readonly gasUsed: string;
  readonly logs: readonly {
    readonly address: string;
    readonly topics: readonly string[];
    readonly data: string;
  }[];
};

export type TransitionResult = {
  readonly stateRoot: string;
  readonly txRoot: string;
  readonly receiptsRoot: string;
  readonly logsBloom: string;
  readonly gasUsed: string;
  readonly currentBaseFee: string;
  readonly currentExcessBlobGas?: string;
  readonly blobGasUsed?: string;
  readonly withdrawalsRoot?: string;
  readonly requestsHash?: string;
  readonly requests?: readonly string[];
  readonly blockAccessList?: string;
  readonly blockAccessListHash?: string;
  readonly receipts: readonly TransitionReceipt[];
  /** Transactions that are invalid in the block, by their index in the input. */
  readonly rejected?: readonly { readonly index: number; readonly error: string }[];
};

export type TransitionOutput = { readonly result: TransitionResult; readonly alloc: AllocJson };

/** Reason of geth for which the whole block is invalid. */
export class TransitionError extends Error {}

/** Executes a block. @throws TransitionError where geth refuses the whole block */
export function runTransition(input: TransitionInput): Promise<TransitionOutput> {
  const { fork, chainId, alloc, env, transactions } = input;
  const stdin = JSON.stringify({ alloc, env, txsRlp: transactions });
  const args = [
    't8n',
    ...['--state.fork', fork, '--state.chainid', String(chainId), '--state.reward', '-1'],
    ...['--input.alloc', 'stdin', '--input.env', 'stdin', '--input.txs', 'stdin'],
    ...['--output.result', 'stdout', '--output.alloc', 'stdout', '--output.body', ''],
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(installGeth('evm'), args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: TIME_LIMIT_MS,
    });
    const out: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(Buffer.concat(out).toString()));
      else reject(new TransitionError(lastError(Buffer.concat(errors).toString(), code)));
    });
    // A program that exits early closes its input; its exit code reports the failure.
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
  });
}

function lastError(printed: string, code: number | null): string {
  const lines = printed.split('\n').filter((line) => line.startsWith('ERROR'));
  return (
    lines.at(-1)?.replace(/^ERROR\(\d+\): (?:failed to process post-execution: )?/, '') ??
    `evm ended with ${code}: ${printed.slice(-2000)}`
  );
}
