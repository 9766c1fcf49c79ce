import { describe, expect, it } from 'vitest'
import { FailureTracker } from '../../src/wordpress/traffic/concurrency.ts'
import { upTo } from './fake-site.ts'

/** A site's health on a clock that the test moves. */
function patient() {
  const clock = { ms: 100_000 }
  const health = new FailureTracker(() => clock.ms)
  return { clock, health }
}

describe('failures of a site', () => {
  it('persist from the second on where nothing has ever succeeded: a single one may be a hiccup', () => {
    const { health } = patient()
    expect(health.persists).toBe(false)
    health.failed(true)
    expect([health.persists, health.hopeful]).toEqual([false, true])
    health.failed(true)
    expect([health.persists, health.hopeful]).toEqual([true, false])
  })

  it('do not persist where the first of all requests fails and the others succeed, as one of twenty does', () => {
    const { health } = patient()
    health.failed(true)
    for (const _ of upTo(19)) {
      health.succeeded()
      expect(health.persists).toBe(false)
    }
  })

  it('persist at once where nothing is known and the failure does not pass by itself', () => {
    const { health } = patient()
    health.failed(false)
    expect([health.persists, health.hopeful]).toEqual([true, false])
  })

  it('are hiccups after a success, up to the fourth in a row', () => {
    const { health } = patient()
    health.succeeded()
    for (const _ of upTo(3)) health.failed(true)
    expect([health.persists, health.hopeful]).toEqual([false, true])
    health.failed(true)
    expect([health.persists, health.hopeful]).toEqual([true, false])
    health.succeeded()
    expect([health.persists, health.hopeful]).toEqual([false, true])
  })

  it('persist at once where they do not pass by themselves', () => {
    const { health } = patient()
    health.succeeded()
    health.failed(false)
    expect([health.persists, health.hopeful]).toEqual([true, false])
  })

  it('persist where half of the latest are failures, until the site has been left alone', () => {
    const { health, clock } = patient()
    for (const _ of upTo(5)) {
      health.succeeded()
      health.failed(true)
    }
    expect(health.persists).toBe(true)
    health.succeeded()
    expect(health.persists).toBe(false)
    health.failed(true)
    expect(health.persists).toBe(true)
    clock.ms += 5_000
    health.succeeded()
    health.failed(true)
    expect(health.persists).toBe(false)
  })

  it('are hiccups where one of twenty fails', () => {
    const { health } = patient()
    for (const at of upTo(200)) {
      if (at % 20 === 0) health.failed(true)
      else health.succeeded()
      expect(health.persists).toBe(false)
    }
  })

  it('stand alone where nine answers before were good, and not where a second comes among ten', () => {
    const { health } = patient()
    for (const _ of upTo(9)) health.succeeded()
    health.failed(true)
    expect(health.isIsolated).toBe(true)
    for (const _ of upTo(8)) health.succeeded()
    health.failed(true)
    expect(health.isIsolated).toBe(false)
    for (const _ of upTo(9)) health.succeeded()
    health.failed(true)
    expect(health.isIsolated).toBe(true)
  })

  it('do not stand alone where nothing is known of the site', () => {
    const { health } = patient()
    health.failed(true)
    expect(health.isIsolated).toBe(false)
  })

  it('are believed from the second on where the last success is long ago', () => {
    const { health, clock } = patient()
    health.succeeded()
    clock.ms += 11 * 60_000
    health.failed(true)
    expect(health.persists).toBe(false)
    health.failed(true)
    expect(health.persists).toBe(true)
  })
})
