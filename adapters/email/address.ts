/**
 * The mail addresses a request may hold: one mailbox, bare, in ASCII (RFC 5321's Dot-string and
 * domain). Quoted local parts, address literals and display names are left out: each of them is a
 * second way to write a mailbox, and one mailbox written twice would be two decisions.
 */

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
export const addressShape = new RegExp(
  `^(?=[^@]{1,64}@)(?=.{3,254}$)${atom}(?:\\.${atom})*@${label}(?:\\.${label})*$`,
);

/** What tells two mailboxes apart: a domain's case means nothing, a local part's is its host's business. */
export function mailboxOf(address: string): string {
  const { local, domain } = partsOf(address);
  return `${local}@${domain.toLowerCase()}`;
}

export function domainOf(address: string): string {
  return partsOf(address).domain.toLowerCase();
}

function partsOf(address: string): { readonly local: string; readonly domain: string } {
  const at = address.lastIndexOf('@');
  return { local: address.slice(0, at), domain: address.slice(at + 1) };
}
