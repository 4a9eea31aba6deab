/**
 * Trims GitHub's published API description to the responses that the stand-in for GitHub is checked
 * against. Run it as `npm run --silent github-responses -- FOLDER`, with the folder of an unpacked
 * package `@octokit/openapi`; it writes `adapters/github/testing/responses.json`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

interface Description {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Json>> }>>>
  >;
}

const repository = '/repos/{owner}/{repo}';
const served: readonly (readonly [method: string, path: string])[] = [
  ['get', ''],
  ['get', '/pulls/{pull_number}'],
  ['get', '/pulls/{pull_number}/merge'],
  ['put', '/pulls/{pull_number}/merge'],
  ['get', '/git/ref/{ref}'],
  ['delete', '/git/refs/{ref}'],
  ['get', '/commits/{ref}'],
  ['get', '/issues/{issue_number}'],
  ['patch', '/issues/{issue_number}'],
  ['get', '/issues/{issue_number}/comments'],
  ['post', '/issues/{issue_number}/comments'],
  ['get', '/issues/comments/{comment_id}'],
  ['delete', '/issues/comments/{comment_id}'],
];

/** Keys of a schema that validate nothing. */
const forReaders = new Set([
  'title',
  'description',
  'example',
  'examples',
  'default',
  'deprecated',
]);

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  throw new Error(
    'Expected the folder of an unpacked package @octokit/openapi; came nothing. Give it as the only argument.',
  );
}
const source = 'generated/api.github.com.deref.json';
const description = JSON.parse(readFileSync(join(folder, source), 'utf8')) as Description;
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const licence = readFileSync(join(folder, 'LICENSE'), 'utf8').trim();
const rows = served.map(([method, path]) => {
  const operation = description.paths[`${repository}${path}`]?.[method];
  if (operation === undefined) {
    throw new Error(
      `Expected ${method} ${repository}${path} in ${source}; it is not there. Take another version of the package.`,
    );
  }
  const schemas = Object.entries(operation.responses).map(([status, response]) => [
    status,
    schemaOf(response),
  ]);
  const name = `${method.toUpperCase()} ${repository}${path}`;
  return `${JSON.stringify(name)}: ${JSON.stringify(Object.fromEntries(schemas))}`;
});
const about = {
  source: `GitHub's REST API description (github.com/github/rest-api-description) as published in @octokit/openapi ${version}, ${source}`,
  licence: `GitHub's description is MIT-licensed, and so is the package: ${licence}`,
  trimmed:
    'by scripts/github-responses.ts to the response schemas of the operations served; null: a response without JSON',
};
writeFileSync(
  'adapters/github/testing/responses.json',
  `{\n"about": ${JSON.stringify(about)},\n"operations": {\n${rows.join(',\n')}\n}\n}\n`,
);

function schemaOf(response: Json): Json {
  const content = fieldOf(response, 'content');
  const schema = fieldOf(fieldOf(content, 'application/json'), 'schema');
  return schema === undefined ? null : trim(schema);
}

/** Keeps what can be validated, and drops what is for readers. */
function trim(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(trim);
  if (!isRecord(schema)) return schema;
  const kept = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (key === 'properties' && isRecord(value)) {
      const properties = Object.entries(value).map(([name, property]) => [name, trim(property)]);
      return [[key, Object.fromEntries(properties) as Json]];
    }
    return forReaders.has(key) || key.startsWith('x-') ? [] : [[key, trim(value)]];
  });
  return Object.fromEntries(kept);
}

function fieldOf(value: Json | undefined, name: string): Json | undefined {
  return value !== undefined && isRecord(value) ? value[name] : undefined;
}

function isRecord(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
