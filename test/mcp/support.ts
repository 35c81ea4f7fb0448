/** The official SDK's client, connected to the shipped program. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { MAIN } from '../../scripts/program-files.ts';
import { waitUntil } from '../support/wait-until.ts';

type Json = Readonly<Record<string, unknown>>;

/** Text of a tool's result, whether it is an error, and the result as JSON. */
export type ToolResult = { readonly text: string; readonly isError: boolean; readonly json: Json };

/** Time limit of requests, which a passing test never reaches. */
const PATIENT = { timeout: 300_000 };

/** Calls tools as an agent does. */
export class ToolClient {
  readonly client: Client = new Client({ name: 'test', version: '1' });

  async call(name: string, args: Json = {}): Promise<ToolResult> {
    const { content, isError = false } = (await this.client.callTool(
      { name, arguments: args },
      undefined,
      PATIENT,
    )) as CallToolResult;
    const [part] = content;
    assert.ok(content.length === 1 && part?.type === 'text');
    return { text: part.text, isError, json: JSON.parse(part.text) as Json };
  }

  /** Calls a tool that must succeed. */
  async read(name: string, args: Json = {}): Promise<Json> {
    const { text, isError, json } = await this.call(name, args);
    assert.ok(!isError, text);
    return json;
  }

  /** Calls a tool that must fail. @returns the text of the error */
  async fail(name: string, args: Json = {}): Promise<string> {
    const { text, isError, json } = await this.call(name, args);
    assert.ok(isError, text);
    return String(json['error']);
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** Starts `portcullis mcp` over stdio. @param environment variables in addition to those of a user's process */
export async function startStdio(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ToolClient> {
  const tools = new ToolClient();
  await tools.client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'mcp', ...args],
      env: environment,
      stderr: 'ignore',
    }),
    PATIENT,
  );
  return tools;
}

/** Connects to a server over Streamable HTTP. @param headers sent with each request */
export async function connectHttp(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<ToolClient> {
  const tools = new ToolClient();
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  // The types of the SDK do not expect `exactOptionalPropertyTypes`.
  await tools.client.connect(transport as Parameters<Client['connect']>[0], PATIENT);
  return tools;
}

/** Process of `portcullis mcp`. */
export type McpProcess = {
  readonly child: ChildProcess;
  /** URL of its HTTP server. */
  readonly url: string;
  readonly stderr: () => string;
  /** Sends SIGTERM. @returns the exit code */
  stop(): Promise<number | null>;
};

const ADDRESS = /MCP at (http:\/\/\S+)/;

/** Starts `portcullis mcp --listen 0`, and waits until it listens. */
export async function startHttp(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<McpProcess> {
  const child = spawn(process.execPath, [MAIN, 'mcp', '--listen', '0', ...args], { env: environment });
  const printed = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    printed.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    printed.stderr += chunk;
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  await waitUntil(() => ADDRESS.test(printed.stdout) || child.exitCode !== null);
  return {
    child,
    url: ADDRESS.exec(printed.stdout)?.[1] ?? assert.fail(printed.stderr),
    stderr: () => printed.stderr,
    async stop() {
      child.kill('SIGTERM');
      return (await exited)[0];
    },
  };
}
