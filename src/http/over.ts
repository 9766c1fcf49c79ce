import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What is still to be done when a connection closes. */
const ofConnections = new WeakMap<Socket, Set<() => void>>()

/**
 * Does something once an answer is over: taken, or never to be. At once where it is over by now, of which no event tells
 * any more. Node does not tell an answer that waits behind another of its connection either that this has closed.
 */
export function whenOver(response: ServerResponse, work: () => void): void {
  const { socket } = response.req
  if (isOver(response)) return void work()
  const ofThis = ofConnections.get(socket) ?? watch(socket)
  const over = () => {
    response.removeListener('close', over)
    if (ofThis.delete(over)) work()
  }
  ofThis.add(over)
  response.once('close', over)
}

/** Whether nobody can take anything of an answer any more. */
export const isOver = ({ closed, req: { socket } }: ServerResponse): boolean => closed || socket.destroyed

function watch(socket: Socket): Set<() => void> {
  const ofThis = new Set<() => void>()
  ofConnections.set(socket, ofThis)
  socket.once('close', () => {
    for (const over of ofThis) over()
  })
  return ofThis
}
