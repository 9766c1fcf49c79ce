import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ending, waitingFor } from '../../demo/output.ts'

describe('the last lines', () => {
  const post = { url: 'http://127.0.0.1:9/p', edit_url: 'http://127.0.0.1:9/e' }
  const url = 'http://127.0.0.1:9'
  const made = { url, user: 'editor', password: 'open sesame' }

  test('have the login of a WordPress that stays up', () => {
    const lines = ending(made, post, true)
    for (const part of [
      post.url,
      post.edit_url,
      '/wp-login.php as editor with the password open sesame',
      'Ctrl-C',
    ])
      expect(lines).toContain(part)
  })

  test('have no login of a WordPress that ends', () => {
    const lines = ending(made, post, false)
    expect(lines).not.toContain('open sesame')
    expect(lines).toContain('This WordPress ends now')
  })

  test('have no login of somebody’s own WordPress', () => {
    for (const stays of [true, false])
      expect(ending({ url, user: 'jane' }, post, stays)).not.toMatch(/Log in|ends now/)
  })
})

describe('waiting', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  function wait(milliseconds: number) {
    const lines: string[] = []
    const work = new Promise((resolve) => setTimeout(resolve, milliseconds, 'done'))
    return { lines, waited: waitingFor('Fetching', (line) => lines.push(line), work) }
  }

  test('below two seconds logs nothing', async () => {
    const { lines, waited } = wait(1_900)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await waited).toBe('done')
    expect(lines).toEqual([])
  })

  test('logs after two seconds what it waits for, and again every ten', async () => {
    const { lines, waited } = wait(23_000)
    await vi.advanceTimersByTimeAsync(60_000)
    await waited
    expect(lines).toEqual(['Fetching: 2 s so far', 'Fetching: 12 s so far', 'Fetching: 22 s so far'])
  })
})
