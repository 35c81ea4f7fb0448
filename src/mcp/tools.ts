import type { Tool } from './tool.ts';
import { balanceTool } from './tools/balance.ts';
import { blockTool } from './tools/block.ts';
import { callTool } from './tools/call.ts';
import { contractTool } from './tools/contract.ts';
import { explainRevertTool } from './tools/explain-revert.ts';
import { feesTool } from './tools/fees.ts';
import { logsTool } from './tools/logs.ts';
import { networksTool } from './tools/networks.ts';
import { proveTool } from './tools/prove.ts';
import { createRpcTool } from './tools/rpc.ts';
import { simulateTool } from './tools/simulate.ts';
import { transactionTool } from './tools/transaction.ts';

/** Lists all tools in the order in which clients show them. @param allowsSending whether `rpc` may send transactions */
export function listTools(allowsSending: boolean): readonly Tool[] {
  return [
    networksTool,
    blockTool,
    transactionTool,
    balanceTool,
    contractTool,
    callTool,
    logsTool,
    simulateTool,
    proveTool,
    explainRevertTool,
    feesTool,
    createRpcTool(allowsSending),
  ];
}
