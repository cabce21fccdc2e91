// A client without an invite that tries everything at once. Usage: node stranger.mjs <relay url> <host's code>
// Prints what has become of it, as a line of JSON, five times a second until its standard input ends.
import { connect } from 'node:net';
import { WebSocket } from 'ws';

const [, , relay, code] = process.argv;
const { hostname, port, host } = new URL(relay);
const victim = `manyhands-host-${code}`;
const tally = { opened: 0, refused: 0, cut: 0, offers: 0, candidates: 0, guesses: 0, idle: 0, bigFrames: 0 };
let isOver = false;

const offer = (n) =>
  JSON.stringify({
    type: 'OFFER',
    dst: victim,
    payload: {
      ticket: `Lzzzzz.${'A'.repeat(22)}`,
      signal: { kind: 'offer', call: n, sdp: 'v=0\r\nm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n' },
    },
  });
const candidate = JSON.stringify({
  type: 'CANDIDATE',
  dst: victim,
  payload: { signal: { kind: 'candidate', call: 0, candidate: 'x'.repeat(1000) } },
});

/** One socket under this name; `then` is called when it is open. */
function open(id, token, then) {
  const socket = new WebSocket(`ws://${host}/signal/socket?id=${id}&token=${token}`);
  socket.on('open', () => {
    tally.opened += 1;
    then?.(socket);
  });
  socket.on('error', () => {
    tally.refused += 1;
  });
  socket.on('close', () => {
    tally.cut += 1;
  });
  return socket;
}

// 700 offers and a flood of candidates, from rooms of its own, again and again.
let rooms = 0;
function flood() {
  if (isOver) return;
  rooms += 1;
  const socket = open(`manyhands-host-flood-${rooms}`, 't', () => {
    for (let i = 0; i < 700; i++) {
      socket.send(offer(i));
      tally.offers += 1;
    }
    const pour = () => {
      if (isOver || socket.readyState !== WebSocket.OPEN) return;
      for (let i = 0; i < 200 && socket.bufferedAmount < 1 << 20; i++) {
        socket.send(candidate);
        tally.candidates += 1;
      }
      setTimeout(pour, 5);
    };
    pour();
  });
  socket.on('close', () => setTimeout(flood, 100));
  socket.on('error', () => {});
}
flood();

// A 60 MiB frame, now and then.
const big = Buffer.alloc(60 << 20, 120);
function shove() {
  if (isOver) return;
  const socket = open(`manyhands-host-big-${tally.bigFrames}`, 't', () => socket.send(big));
  tally.bigFrames += 1;
  setTimeout(shove, 2000);
}
shove();

// 300 sockets: workers with made-up tickets, hosts of rooms of their own, and the victim's own name; and 300 connections
// that say nothing.
setTimeout(() => {
  for (let i = 0; i < 100; i++) open(`manyhands-worker-stranger-${i}`, `${code}.Lzzzzz.${'A'.repeat(22)}`);
  for (let i = 0; i < 100; i++) open(`manyhands-host-stranger-${i}`, 't');
  for (let i = 0; i < 100; i++) open(victim, `guess-${i}`);
  for (let i = 0; i < 300; i++) {
    connect(Number(port), hostname, () => {
      tally.idle += 1;
    }).on('error', () => {});
  }
}, 1000);

// Codes by the dozen.
async function guess() {
  while (!isOver) {
    const body = JSON.stringify({ code: Math.random().toString(36).slice(2, 8), ticket: null });
    await fetch(`http://${host}/signal/join`, { method: 'POST', body }).catch(() => {});
    tally.guesses += 1;
  }
}
void guess();

setInterval(() => console.log(JSON.stringify(tally)), 200);
process.stdin.resume();
process.stdin.on('end', () => {
  isOver = true;
  process.exit(0);
});
