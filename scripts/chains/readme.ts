import { CALLENV_ABI } from '../contracts/callenv.ts';
import { DELEGATE_ABI } from '../contracts/delegate.ts';
import { ERC20_ABI } from '../contracts/erc20.ts';
import { FACTORY_ABI } from '../contracts/factory.ts';
import { LOGGER_ABI } from '../contracts/logger.ts';
import { MESSAGE_SERVICE_ABI } from '../contracts/message-service.ts';
import { REVERTER_ABI } from '../contracts/reverter.ts';
import type { DevelopmentChain, DevelopmentChains } from './development-chain.ts';
import type { Facts } from './facts.ts';

const ABIS: Readonly<Record<string, readonly string[]>> = {
  'ERC-20': ERC20_ABI,
  reverter: REVERTER_ABI,
  callenv: CALLENV_ABI,
  delegate: DELEGATE_ABI,
  logger: LOGGER_ABI,
  factory: FACTORY_ABI,
  'L2 message service': MESSAGE_SERVICE_ABI,
};

function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

function renderBlocks({ plans, blocks }: DevelopmentChain): string {
  const rows = plans.map(({ shows }, i) => {
    const transactions = blocks[i + 1]?.block.transactions.length ?? 0;
    return [`${i + 1}`, `${transactions}`, shows];
  });
  return renderTable(['Block', 'Transactions', 'What it shows'], rows);
}

function renderContracts(contracts: Readonly<Record<string, string>>): string {
  return renderTable(
    ['Contract', 'Address'],
    Object.entries(contracts).map(([what, address]) => [what, `\`${address}\``]),
  );
}

/** Renders the text of `chains/README.md`. */
export function renderReadme(facts: Facts, chains: DevelopmentChains): string {
  const { erc20, reverter, callenv, delegate, accounts } = facts.devnet;
  const opRollup = facts['op-rollup'];
  return `# The built-in development chains

\`portcullis start\` serves three small chains, the last of them with \`--rollup op-stack\`: real blocks, with every hash and root computed, so
that every answer can be checked. Each chain is a geth genesis file and a gzipped file of RLP blocks from block 1 on, as
\`portcullis dev --genesis FILE --blocks FILE\` reads them. \`facts.json\` has the addresses and hashes of this page for programs.

## Accounts

Each has 10,000 ether at genesis on every chain. The keys are public: never use them elsewhere.

${renderTable(
  ['Name', 'Address', 'Private key'],
  accounts.map(({ name, address, privateKey }) => [name, `\`${address}\``, `\`${privateKey}\``]),
)}

## Contracts on every chain

${renderContracts({
  'ERC-20 "Portcullis Token" (PORT)': erc20,
  'reverter: a function for each way to fail': reverter,
  'callenv: what a call sees of its block and transaction': callenv,
  'delegate: code for accounts (EIP-7702)': delegate,
})}

## devnet

Chain id ${facts.devnet.chainId}, a layer 1. Its ${facts.devnet.headNumber} blocks go through every fork from Frontier to Amsterdam; block
${facts.devnet.mergeBlock} is the first proof-of-stake block. Genesis \`${facts.devnet.genesisHash}\`,
head \`${facts.devnet.headHash}\`.

${renderContracts({
  'logger: logs with 0 to 4 topics': facts.devnet.logger,
  'factory: CREATE and CREATE2': facts.devnet.factory,
  'deposit contract, without the Merkle tree': facts.devnet.depositContract,
})}

The system contracts of EIP-4788, EIP-2935, EIP-7002, EIP-7251 and EIP-8282, and the factory of EIP-7997, are at their usual addresses.

${renderBlocks(chains.devnet)}

## rollup

Chain id ${facts.rollup.chainId}, a layer 2 with Shanghai's rules, a base fee of 7 wei and Linea's prices in every header's
\`extraData\`; at the head a fixed cost of ${facts.rollup.pricing.fixedCost}, a variable cost of ${facts.rollup.pricing.variableCost} and a gas price of
${facts.rollup.pricing.ethGasPrice} wei. Genesis \`${facts.rollup.genesisHash}\`,
head \`${facts.rollup.headHash}\`.

${renderContracts({ 'L2 message service': facts.rollup.messageService })}

The last anchored message of layer 1 is number ${facts.rollup.lastAnchoredL1MessageNumber}.

${renderBlocks(chains.rollup)}

## op-rollup

Chain id ${opRollup.chainId}, a layer 2 of the devnet with Prague's rules, priced as the OP Stack prices since Isthmus. The
predeploys are written for this project: they keep the originals' slots and formulas, and run. The first transaction of every
block is \`setL1BlockValuesIsthmus\`, an ordinary one of an account that is funded for it, where the OP Stack has a deposit; nothing takes the
cost of layer 1 from the other transactions. Genesis \`${opRollup.genesisHash}\`,
head \`${opRollup.headHash}\`.

${renderContracts({ L1Block: opRollup.l1Block, GasPriceOracle: opRollup.gasPriceOracle })}

The head is made from block ${opRollup.originNumber} of the devnet.

${renderBlocks(chains['op-rollup'])}

## Functions and events of the contracts

\`parseAbi\` of viem and \`Interface\` of ethers read these texts.

${Object.entries(ABIS)
  .map(([name, abi]) => `${name}:\n\n\`\`\`\n${abi.join('\n')}\n\`\`\``)
  .join('\n\n')}

This page and everything else in this folder is generated:

    npm run build && node build/scripts/generate-chains.js
`;
}
