import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '../rpc/codec/codec.ts';
import { pointToNames } from '../util/near-name.ts';
import { writeBounded } from './bounded-text.ts';
import { GatewayClient } from './gateway-client.ts';
import type { GatewayNetworks } from './gateway-url.ts';
import type { Tool } from './tool.ts';
import { ToolError } from './tool-error.ts';
import { ToolRun } from './tool-run.ts';

const INSTRUCTIONS = `Reads Ethereum chains through a gateway. Every answer has \`network\`, \`block\` (the block at which it was answered) and \`trust\`:
proven - recomputed up to a block hash that is anchored; agreed - compared between nodes; single - one node's word; unmarked - the gateway executes this network itself, or no node took part.
Amounts in wei and in units of tokens are decimal texts. An answer that is too large is cut, and its member \`cut\` says where.`;
/** Advice where an answer is cut. */
const HINT = 'request less: a smaller range of blocks, a limit, or without the options that add data';

export type McpParts = {
  readonly gateway: GatewayNetworks;
  /** Key of the caller. Only requests to the gateway contain it. */
  readonly key: string;
  readonly tools: readonly Tool[];
  readonly version: string;
  /** Whether one of the tools may send transactions. */
  readonly allowsSending: boolean;
};

/** Creates the protocol server for one client. It validates only messages of the protocol, because tools parse their own arguments. */
export function createMcpServer(parts: McpParts): Server {
  const { tools, version, allowsSending } = parts;
  const server = new Server(
    { name: 'portcullis', title: 'Portcullis', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: NO_VALIDATOR },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map((tool) => describeTool(tool, parts.gateway.networks, allowsSending)),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) =>
    callTool(parts, params.name, params.arguments ?? {}, signal),
  );
  return server;
}

/** Replaces the SDK's validator of forms that a client fills in. This server never requests such a form. */
const NO_VALIDATOR = {
  getValidator() {
    throw new Error('this server requests no forms');
  },
};

function describeTool(tool: Tool, networks: readonly string[], allowsSending: boolean) {
  const { name, title, description, inputSchema, isOfAllNetworks = false } = tool;
  const network = { type: 'string', enum: networks, description: `default: ${networks[0]}` };
  const properties = inputSchema['properties'] as JsonObject;
  const sends = allowsSending && tool.methods.includes('*');
  return {
    name,
    title,
    description,
    inputSchema: {
      ...inputSchema,
      type: 'object' as const,
      properties: (isOfAllNetworks ? properties : { ...properties, network }) as Record<string, object>,
    },
    annotations: { readOnlyHint: !sends, destructiveHint: sends, openWorldHint: true },
  };
}

/** Runs a tool. Failures that the caller can act on are results with `isError`, so that a model reads them. */
async function callTool(
  parts: McpParts,
  name: string,
  args: JsonObject,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const { tools } = parts;
  try {
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool === undefined)
      throw new ToolError(
        `there is no tool ${JSON.stringify(name.slice(0, 80))}${pointToNames(
          name,
          tools.map((one) => one.name),
        )}`,
      );
    const answer = tool.isOfAllNetworks === true ? runOnAll : runOnOne;
    return toResult(writeBounded(await answer(parts, tool, args, signal), HINT));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { ...toResult(writeBounded({ error: error.message }, HINT)), isError: true };
  }
}

async function runOnOne(
  parts: McpParts,
  tool: Tool,
  { network = parts.gateway.networks[0], ...args }: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { networks } = parts.gateway;
  const known = networks.find((candidate) => candidate === network);
  if (known === undefined)
    throw new ToolError(
      `there is no network ${String(network).slice(0, 80)}${pointToNames(String(network), networks)}`,
    );
  return runTool(parts, tool, known, args, signal);
}

/** Runs a tool on each network. A network that cannot answer does not hide the others. */
async function runOnAll(
  parts: McpParts,
  tool: Tool,
  args: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { networks } = parts.gateway;
  const answers = networks.map((network) =>
    runTool(parts, tool, network, args, signal).catch((error: unknown) => {
      if (error instanceof ToolError) return { network, error: error.message };
      throw error;
    }),
  );
  return { networks: await Promise.all(answers) };
}

async function runTool(
  { gateway, key }: McpParts,
  tool: Tool,
  network: string,
  args: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const run = new ToolRun(network, new GatewayClient(gateway.urlOf(network, key)), tool.methods, signal);
  const answer = await tool.run(args, run);
  return { ...run.describe(), ...answer };
}

function toResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
