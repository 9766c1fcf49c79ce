import type { Express } from 'express'

interface Layer {
  name: string
  slash: boolean
  route?: { path: string; stack: { method?: string }[] }
  handle: { stack?: Layer[] }
}

/**
 * Every route of an app, `GET /v1/sites/{uuid}`, from the stacks of its routers, however it was put there.
 *
 * @throws Error for a router that is mounted under a path, whose routes could not be named
 */
export const routesOf = (app: Pick<Express, 'router'>): string[] =>
  [...new Set(walk((app.router as unknown as { stack: Layer[] }).stack))].sort()

const walk = (stack: Layer[]): string[] =>
  stack.flatMap(({ route, handle, slash }) => {
    if (route === undefined && handle.stack === undefined) return []
    if (route === undefined) {
      if (!slash) throw new Error('a router under a path of its own')
      return walk(handle.stack as Layer[])
    }
    const methods = route.stack.flatMap(({ method }) => (method === undefined ? [] : [method.toUpperCase()]))
    return methods.map((method) => `${method} ${route.path.replace(/:(\w+)/g, '{$1}')}`)
  })
