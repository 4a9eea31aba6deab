/**
 * An MCP server with one tool that refunds a payment at Stripe. Sound: the key names the decision, one
 * refund of this payment, so that an agent may call again as often as it likes. With `--unsound` every
 * call gets a key of its own.
 */
import { createHash, randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import Stripe from 'stripe';
import { z } from 'zod';

const isUnsound = process.argv.includes('--unsound');
const { STRIPE_API_BASE = 'https://api.stripe.com', STRIPE_API_KEY = '' } = process.env;
const { protocol, hostname, port } = new URL(STRIPE_API_BASE);

const stripe = new Stripe(STRIPE_API_KEY, {
  host: hostname,
  port: port === '' ? 443 : Number(port),
  protocol: protocol === 'http:' ? 'http' : 'https',
  timeout: 1_000,
  telemetry: false,
});

const server = new McpServer({ name: 'refunds', version: '1.0.0' });

server.registerTool(
  'create_refund',
  {
    description: 'Refund a payment, once.',
    inputSchema: { payment: z.string(), amount: z.number().int().positive() },
  },
  async ({ payment, amount }) => {
    const idempotencyKey = isUnsound
      ? randomUUID()
      : createHash('sha256').update(`refund ${payment}`).digest('hex');
    const refund = await stripe.refunds.create(
      { payment_intent: payment, amount },
      { idempotencyKey },
    );
    return { content: [{ type: 'text', text: `refunded ${refund.amount} as ${refund.id}` }] };
  },
);

await server.connect(new StdioServerTransport());
