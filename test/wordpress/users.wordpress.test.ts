import { describe, expect, it, onTestFinished } from 'vitest'
import { findUser } from '../../src/wordpress/authors.ts'
import { misbehavingSite, rest } from '../support/wordpress/index.ts'
import { clientAs, unique } from './site.ts'

const make = async (login: string, more: object = {}): Promise<number> => {
  const { id } = await rest<{ id: number }>('administrator', 'POST', '/wp/v2/users', {
    ...{ username: login, email: `${login}@example.com`, password: login, roles: ['author'], ...more },
  })
  onTestFinished(() => rest('administrator', 'DELETE', `/wp/v2/users/${id}?force=true&reassign=1`))
  return id
}

describe('a user by name', () => {
  it('is none of several who share it, but the one of that login', async () => {
    const login = unique('ada')
    await make(unique('twin'), { name: login })
    expect(await findUser(clientAs('editor'), { name: login })).toMatchObject({ name: login })
    const name = unique('Ada Twin')
    await make(unique('twin'), { name })
    await make(unique('twin'), { name })
    expect(await findUser(clientAs('editor'), { name })).toBe('several')
    const id = await make(login)
    expect(await findUser(clientAs('editor'), { name: login })).toMatchObject({ id })
  })

  it('may have a role that a plugin has made, where the connected user may list users', async () => {
    const site = await misbehavingSite('columnists')
    onTestFinished(() => site.close())
    const login = unique('columnist')
    const id = await make(login)
    const client = clientAs('administrator', { restRoot: `${site.url}/wp-json/` })
    await client.request({
      ...{ method: 'POST', path: `/wp/v2/users/${id}`, data: { roles: ['columnist'] } },
      ...{ doing: 'changing a role', subject: 'user' },
    })
    expect(await findUser(client, { name: login })).toMatchObject({ id })
  })

  it('is found whatever the letter case', async () => {
    expect(await findUser(clientAs('administrator'), { name: 'EDITOR' })).toMatchObject({ name: 'editor' })
  })

  it('is found behind others whose names have the word in them, beyond what the site shows at once', async () => {
    await make(unique('a-editor'))
    const site = await misbehavingSite('one-user-a-page')
    onTestFinished(() => site.close())
    const client = clientAs('administrator', { restRoot: `${site.url}/wp-json/` })
    expect(await findUser(client, { name: 'editor' })).toMatchObject({ name: 'editor' })
  })

  for (const name of ['edit', 'nobody at all']) {
    it(`is not “${name}”, which nobody is called`, async () => {
      expect(await findUser(clientAs('administrator'), { name })).toBeNull()
    })
  }
})
