import { describe, expect, test } from 'vitest';
import { openGitHub } from './testing/github.ts';

const list = '/issues/6/comments';

async function openComments(options = {}) {
  const opened = await openGitHub('comment', options);
  const { subject } = opened;
  const post = async (body: string) => (await subject(`POST ${list}`, { body })).data;
  const bodies = async (query = '') =>
    (await subject(`GET ${list}${query}`)).data.map(({ body }: { body: string }) => body);
  return { ...opened, post, bodies };
}

describe('a comment', () => {
  test('is made by every request, however equal, and says whose it is', async () => {
    const { namespace, subject, post, repository } = await openComments();
    const body = 'Approved.\n\n<!-- effect-id: ours -->';
    const first = await subject(`POST ${list}`, { body });
    expect(first).toMatchObject({ status: 201, data: { body } });
    expect(first.data.user.login).toMatch(/^subject-/);
    expect(first.headers.location).toBe(first.data.url);
    const second = await post('Approved.');
    expect(second.id).toBeGreaterThan(first.data.id);
    const common = {
      actor: 'subject',
      subject: `${repository}#6`,
      substance: { body: 'Approved.' },
    };
    expect(await namespace.effects()).toEqual([
      { ...common, entityId: `${first.data.id}`, stamp: 'ours', atMs: expect.any(Number) },
      { ...common, entityId: `${second.id}`, stamp: null, atMs: expect.any(Number) },
    ]);
  });

  test('is read and deleted by its id, counted by its issue, and stays in the journal', async () => {
    const { namespace, subject, person, post } = await openComments();
    const { id } = await post('Approved.');
    const place = `/issues/comments/${id}`;
    expect((await subject(`GET ${place}`)).data.id).toBe(id);
    expect((await subject('GET /issues/6')).data.comments).toBe(1);
    expect(await person(`DELETE ${place}`)).toMatchObject({ status: 204 });
    expect(await subject(`GET ${place}`)).toMatchObject({ status: 404 });
    expect(await person(`DELETE ${place}`)).toMatchObject({ status: 404 });
    expect((await subject('GET /issues/6')).data.comments).toBe(0);
    expect(await namespace.effects()).toHaveLength(1);
  });

  test('can be made on a pull request', async () => {
    const { subject } = await openComments();
    expect(await subject('POST /issues/1/comments', { body: 'x' })).toMatchObject({ status: 201 });
    expect((await subject('GET /pulls/1')).data.comments).toBe(1);
  });

  test.each([{}, { body: ' ' }, { body: 7 }, { body: 'x'.repeat(65_537) }])(
    'is refused with 422 for a body that is none',
    async (body) => {
      const { subject } = await openComments();
      expect(await subject(`POST ${list}`, body)).toMatchObject({
        status: 422,
        data: { message: 'Validation Failed' },
      });
      expect((await subject('GET /issues/6')).data.comments).toBe(0);
    },
  );

  test('is refused with 404 where there is no such issue', async () => {
    const { subject } = await openComments();
    expect(await subject('POST /issues/77/comments', { body: 'x' })).toMatchObject({ status: 404 });
    expect(await subject('GET /issues/77/comments')).toMatchObject({ status: 404 });
    expect(await subject('GET /issues/77')).toMatchObject({ status: 404 });
  });
});

describe('the list of comments', () => {
  test('comes by ascending id, a page at a time, and links to the others', async () => {
    const { subject, post, bodies } = await openComments();
    for (let n = 1; n <= 5; n += 1) await post(`${n}`);
    expect(await bodies()).toEqual(['1', '2', '3', '4', '5']);
    expect(await bodies('?per_page=2')).toEqual(['1', '2']);
    expect(await bodies('?per_page=2&page=3')).toEqual(['5']);
    expect(await bodies('?per_page=2&page=4')).toEqual([]);
    const relations = async (query: string) => {
      const { headers } = await subject(`GET ${list}${query}`);
      const links = String(headers.link ?? '').matchAll(/[?&]page=(\d+)[^>]*>; rel="(\w+)"/g);
      return Object.fromEntries([...links].map(([, page, relation]) => [relation, Number(page)]));
    };
    expect(await relations('')).toEqual({});
    expect(await relations('?per_page=2')).toEqual({ next: 2, last: 3 });
    expect(await relations('?per_page=2&page=2')).toEqual({ first: 1, prev: 1, next: 3, last: 3 });
    expect(await relations('?per_page=2&page=3')).toEqual({ first: 1, prev: 2 });
  });

  test('links to where it was asked', async () => {
    const { namespace, subject, post } = await openComments();
    await post('1');
    await post('2');
    const { headers } = await subject(`GET ${list}?per_page=1`);
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(String(headers.link)) ?? [];
    expect(new URL(next).port).toBe(`${namespace.endpoint.port}`);
    const authorization = `token ${namespace.credentials.token}`;
    const page = await fetch(next, { headers: { authorization } });
    expect(await page.json()).toMatchObject([{ body: '2' }]);
  });

  test('has 30 on a page unless asked, and 100 at the most', async () => {
    const { post, bodies } = await openComments();
    for (let n = 1; n <= 101; n += 1) await post(`${n}`);
    expect(await bodies()).toHaveLength(30);
    expect(await bodies('?per_page=1000')).toHaveLength(100);
    expect(await bodies('?per_page=none&page=-1')).toHaveLength(30);
  });

  test('leaves out what is older than is wanted', async () => {
    const { namespace, post, bodies } = await openComments();
    await post('old');
    namespace.setClock(60_000);
    await post('new');
    const since = new Date(Date.now() + 30_000).toISOString();
    expect(await bodies(`?since=${since}`)).toEqual(['new']);
  });
});

describe('an issue', () => {
  test('gets another title', async () => {
    const { subject, person } = await openComments();
    expect(await person('PATCH /issues/6', { title: 'Another' })).toMatchObject({ status: 200 });
    expect((await subject('GET /issues/6')).data.title).toBe('Another');
    expect(await person('PATCH /issues/6', { title: '' })).toMatchObject({ status: 422 });
    expect(await person('PATCH /issues/77', { title: 'x' })).toMatchObject({ status: 404 });
  });
});
