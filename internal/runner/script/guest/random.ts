// Math.random from a seed of the host, so that a call that is made anew draws the same numbers. It
// is xoshiro128**, by David Blackman and Sebastiano Vigna (public domain).
import { defineProperty, imul } from './primordials.ts'

let a = 0x9e3779b9
let b = 0x243f6a88
let c = 0xb7e15162
let d = 0xdeadbeef

function next(): number {
  const five = imul(b, 5)
  const result = imul((five << 7) | (five >>> 25), 9)
  const shifted = b << 9
  c ^= a
  d ^= b
  b ^= c
  a ^= d
  c ^= shifted
  d = (d << 11) | (d >>> 21)
  return result >>> 0
}

/** Begins anew with four numbers of 32 bits, not all of them zero. */
export function seed(one: number, two: number, three: number, four: number): void {
  a = one | 0
  b = two | 0
  c = three | 0
  d = four | 1
}

/** Takes the place of the generator of the engine, whose state is part of the image. */
export function installRandom(): void {
  const { random } = {
    random(): number {
      return ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992
    },
  }
  defineProperty(Math, 'random', { value: random, writable: true, enumerable: false, configurable: true })
}
