import { describe, expect, it, onTestFinished } from 'vitest'
import { findUser } from '../../src/wordpress/authors.ts'
import { misbehavingSite, rest } from '../support/wordpress/index.ts'
import { clientAs, unique } from './site.ts'

describe('a user by name', () => {
  it('is found whatever the letter case', async () => {
    expect(await findUser(clientAs('administrator'), { name: 'EDITOR' })).toMatchObject({ name: 'editor' })
  })

  it('is found behind others whose names have the word in them, beyond what the site shows at once', async () => {
    const login = unique('a-editor')
    const other = await rest<{ id: number }>('administrator', 'POST', '/wp/v2/users', {
      ...{ username: login, email: `${login}@example.com`, password: login, roles: ['author'] },
    })
    onTestFinished(() => rest('administrator', 'DELETE', `/wp/v2/users/${other.id}?force=true&reassign=1`))
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
