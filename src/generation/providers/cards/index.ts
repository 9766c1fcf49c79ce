export { createCards } from './cards.ts'
