/** An MCP server whose refunds are sound, and whose answers are not: an error of the protocol, or its own end. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const { STRIPE_API_BASE = '', STRIPE_API_KEY = '' } = process.env;
const server = new Server({ name: 'awkward', version: '1' }, { capabilities: { tools: {} } });

server.setRequestHandler(ListToolsRequestSchema, async () => ({
  tools: [{ name: 'create_refund', inputSchema: { type: 'object' as const } }],
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  const { payment, amount } = params.arguments ?? {};
  const key = process.argv.includes('--fresh') ? crypto.randomUUID() : `refund ${payment}`;
  await fetch(`${STRIPE_API_BASE}/v1/refunds`, {
    method: 'POST',
    headers: { authorization: `Bearer ${STRIPE_API_KEY}`, 'idempotency-key': key },
    body: new URLSearchParams({ payment_intent: String(payment), amount: String(amount) }),
  });
  if (process.argv.includes('--dies')) process.exit(7);
  throw new Error('told as an error of the protocol');
});

await server.connect(new StdioServerTransport());
