/** What GitHub tells others when something has happened. Kept instead of sent: nobody listens here. */
export interface Webhook {
  readonly event: 'push' | 'pull_request' | 'delete' | 'issue_comment';
  readonly payload: Readonly<Record<string, string | number | boolean>>;
}
