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
import { GatewayWork } from './gateway-work.ts';
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
  /** Called when the gateway has accepted the key. */
  readonly onAccepted?: () => void;
  /**
   * Whether the caller is a program on this machine that started this server for itself, as over stdio. Such a caller has the rights of a local
   * client.
   */
  readonly isLocal?: boolean;
};

/** HTTP status of answers to keys that the gateway accepts, also where the answer is an error of the call. */
const ACCEPTED = 200;

/** Runs a tool on one network. */
type RunOn = (tool: Tool, network: string, args: JsonObject) => Promise<JsonObject>;

/** Creates the protocol server for one client. It validates no schema besides those of the protocol: tools parse their arguments. */
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
  { gateway, key, tools, onAccepted, isLocal = false }: McpParts,
  name: string,
  args: JsonObject,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const work = new GatewayWork();
  const runOn: RunOn = async (tool, network, ownArgs) => {
    const client = new GatewayClient(gateway.urlOf(network, key), work, {
      onStatus: (status) => {
        if (status === ACCEPTED) onAccepted?.();
      },
      isLocal,
    });
    const run = new ToolRun(network, client, tool.methods, signal);
    const answer = await tool.run(ownArgs, run);
    return { ...run.describe(), ...answer };
  };
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
    return toResult(writeBounded(await answer(gateway.networks, tool, args, runOn), HINT));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { ...toResult(writeBounded({ error: error.message }, HINT)), isError: true };
  } finally {
    work.end();
  }
}

async function runOnOne(
  networks: readonly string[],
  tool: Tool,
  { network = networks[0], ...args }: JsonObject,
  runOn: RunOn,
): Promise<JsonObject> {
  const known = networks.find((candidate) => candidate === network);
  if (known === undefined)
    throw new ToolError(
      `there is no network ${String(network).slice(0, 80)}${pointToNames(String(network), networks)}`,
    );
  return runOn(tool, known, args);
}

/** Runs a tool on each network. A network that cannot answer does not hide the others. */
async function runOnAll(
  networks: readonly string[],
  tool: Tool,
  args: JsonObject,
  runOn: RunOn,
): Promise<JsonObject> {
  const answers = networks.map((network) =>
    runOn(tool, network, args).catch((error: unknown) => {
      if (error instanceof ToolError) return { network, error: error.message };
      throw error;
    }),
  );
  return { networks: await Promise.all(answers) };
}

function toResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
