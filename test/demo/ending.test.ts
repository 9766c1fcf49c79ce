import { expect, test } from 'vitest'
import { ending } from '../../demo/ending.ts'

const post = { url: 'http://127.0.0.1:9/p', edit_url: 'http://127.0.0.1:9/e' }
const made = { user: 'editor', password: 'open sesame' }

test('a demo that stays up tells the login of its own WordPress', () => {
  expect(ending(made, post, true)).toContain('Log in as editor with open sesame')
})

test('a demo that ends tells no login: its WordPress ends with it', () => {
  const words = ending(made, post, false)
  expect(words).not.toContain('open sesame')
  expect(words).toContain('This WordPress ends now')
})

test('of somebody’s own WordPress there is no login to tell, and it goes on', () => {
  for (const stays of [true, false])
    expect(ending({ user: 'jane' }, post, stays)).toBe(`\nPost   ${post.url}\nEdit   ${post.edit_url}`)
})
