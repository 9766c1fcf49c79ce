import { describe, expect, it } from 'vitest'
import { findUser } from '../../src/wordpress/authors.ts'
import { clientAs } from './site.ts'

describe('a user by name', () => {
  it('is found whatever the letter case', async () => {
    expect(await findUser(clientAs('administrator'), { name: 'EDITOR' })).toMatchObject({ name: 'editor' })
  })

  for (const name of ['edit', 'nobody at all']) {
    it(`is not “${name}”, which nobody is called`, async () => {
      expect(await findUser(clientAs('administrator'), { name })).toBeNull()
    })
  }
})
