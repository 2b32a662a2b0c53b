'use strict';
(() => {
const minus = text => String(text).replace('-', '−');
const power = n => '10' + String(n).replace('-', '⁻').replace(/\d/g, d => '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]);
const number = value => {  // as tables have it
  const size = Math.abs(value);
  if (size > 0 && (size < 1e-3 || size >= 1e5)) {
    const [mantissa, exponent] = value.toExponential(2).split('e');
    return minus(Number(mantissa)) + '·' + power(Number(exponent));
  }
  const text = minus(Number(value.toPrecision(4)));
  return size < 1000 ? text : text.replace(/\B(?=(\d{3})+$)/g, '\u2009');
};
const make = (name, attributes, text) => {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  return node;
};
const nice = step => {
  const unit = 10 ** Math.floor(Math.log10(step));
  return unit * [1, 2, 5, 10].find(m => m * unit >= step * (1 - 1e-9));
};
// Ticks of [lo, hi] in the axis' measure, and the common factor of their labels.
function ticks(lo, hi, log, most) {
  const list = [];
  if (log) {
    const few = hi - lo <= 2.5, stride = few ? 1 : Math.ceil((hi - lo) / 8);
    const marks = hi - lo < 0.5 ? [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9] : few ? [1, 2, 5] : [1];
    for (let e = Math.floor(lo); e <= hi; e += stride) {
      for (const m of marks) {
        const at = e + Math.log10(m);
        if (at < lo || at > hi) continue;
        list.push({at, text: few ? number(m * 10 ** e) : power(e)});
      }
    }
    return {list, factor: ''};
  }
  const step = nice((hi - lo) / most), size = Math.max(Math.abs(lo), Math.abs(hi));
  const exponent = size < 1e-2 || size >= 1e4 ? 3 * Math.floor(Math.log10(size) / 3) : 0;
  const unit = 10 ** exponent, decimals = Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step; ++k) {
    list.push({at: k * step, text: minus((k * step / unit).toFixed(decimals))});
  }
  return {list, factor: exponent ? '×' + power(exponent) : ''};
}

class Plot {
  constructor(svg) {
    this.svg = svg;
    const group = svg.querySelector('.plot'), read = name => group.dataset[name].split(' ').map(Number);
    this.across = group.dataset.across.split(', ');  // "time, s"
    [this.left, this.top, this.width, this.height] = read('frame');
    this.x = this.scale(read('x'));
    this.y = this.scale(read('y'));
    this.ticks = group.querySelector('.ticks');
    this.first = {x: this.x, y: this.y, ticks: this.ticks.innerHTML};
    this.series = [...group.querySelectorAll('.s')].map(node => this.read(node));
    const box = {x: this.left, y: this.top, width: this.width, height: this.height};
    this.band = svg.appendChild(make('rect', {...box, width: 0, class: 'band'}));
    this.line = svg.appendChild(make('path', {class: 'cursor', d: ''}));
    this.area = svg.appendChild(make('rect', {...box, class: 'area'}));
    this.note = svg.parentNode.appendChild(document.createElement('output'));
  }
  scale([lo, hi, log]) { return {lo, hi, log}; }
  toX(u) { return this.left + this.width * (u - this.x.lo) / (this.x.hi - this.x.lo); }
  toY(w) { return this.top + this.height * (1 - (w - this.y.lo) / (this.y.hi - this.y.lo)); }
  fromX(px) { return this.x.lo + (this.x.hi - this.x.lo) * (px - this.left) / this.width; }
  fromY(py) { return this.y.lo + (this.y.hi - this.y.lo) * (1 - (py - this.top) / this.height); }
  read(node) {
    const path = node.querySelector('path'), d = path.getAttribute('d'), points = [];
    for (const [, pen, x, y] of d.matchAll(/([ML])(-?[\d.]+) (-?[\d.]+)/g)) {
      points.push({pen, u: this.fromX(Number(x)), w: this.fromY(Number(y))});
    }
    return {node, path, d, points, circles: [...node.querySelectorAll('circle')],
            name: node.dataset.name, stroke: path.getAttribute('stroke'), shown: true};
  }
  // Lines without a name go with the named one of their colour.
  show(name, shown) {
    const own = this.series.filter(s => s.name === name).map(s => s.stroke);
    for (const s of this.series) {
      if (s.name !== name && (s.name || !own.includes(s.stroke))) continue;
      s.shown = shown;
      s.node.style.display = shown ? '' : 'none';
    }
  }
  extent() {
    const all = this.series.flatMap(s => s.points.map(p => p.u));
    return [Math.min(...all), Math.max(...all)];
  }
  // The range across, in the axis' measure; without one, as printed.
  zoom(range) {
    if (!range) {
      this.x = this.first.x;
      this.y = this.first.y;
      this.ticks.innerHTML = this.first.ticks;
    } else {
      this.x = {...this.x, lo: range[0], hi: range[1]};
      let lo = Infinity, hi = -Infinity;
      for (const s of this.series) {
        if (!s.shown) continue;
        for (const p of s.points) {
          if (p.u < range[0] || p.u > range[1]) continue;
          lo = Math.min(lo, p.w);
          hi = Math.max(hi, p.w);
        }
      }
      if (!(lo <= hi)) [lo, hi] = [this.y.lo, this.y.hi];
      const margin = 0.06 * (hi - lo) || 0.1 * Math.abs(hi) || 1;
      this.y = {...this.y, lo: lo - margin, hi: hi + margin};
      this.drawTicks();
    }
    for (const s of this.series) {
      const at = p => [this.toX(p.u).toFixed(2), this.toY(p.w).toFixed(2)];
      s.path.setAttribute('d', range ? s.points.map(p => p.pen + at(p).join(' ')).join('') : s.d);
      s.circles.forEach((circle, i) => {
        const [x, y] = at(s.points[i]);
        circle.setAttribute('cx', x);
        circle.setAttribute('cy', y);
      });
    }
  }
  drawTicks() {
    const bottom = this.top + this.height, right = this.left + this.width, nodes = [];
    const across = ticks(this.x.lo, this.x.hi, this.x.log, this.width / 60);
    const up = ticks(this.y.lo, this.y.hi, this.y.log, this.height / 36);
    for (const {at, text} of across.list) {
      const x = this.toX(at);
      nodes.push(make('path', {d: `M${x} ${this.top}V${bottom}`, stroke: '#ECEFF3'}));
      nodes.push(make('text', {x, y: bottom + 16, class: 'm'}, text));
    }
    for (const {at, text} of up.list) {
      const y = this.toY(at);
      nodes.push(make('path', {d: `M${this.left} ${y}H${right}`, stroke: '#ECEFF3'}));
      nodes.push(make('text', {x: this.left - 7, y: y + 4, class: 'e'}, text));
    }
    nodes.push(make('text', {x: right, y: bottom + 32, class: 'e'}, across.factor));
    nodes.push(make('text', {x: this.left, y: this.top - 10, class: 'e'}, up.factor));
    this.ticks.replaceChildren(...nodes);
  }
  // The values at a place across, of each line by its nearest point.
  point(u) {
    if (u === null) {
      this.line.setAttribute('d', '');
      this.note.style.display = 'none';
      return;
    }
    const value = (measure, log) => number(log ? 10 ** measure : measure), rows = [];
    let at = null;
    for (const s of this.series) {
      if (!s.shown || !s.name || !s.points.length) continue;
      let best = s.points[0];
      for (const p of s.points) if (Math.abs(p.u - u) < Math.abs(best.u - u)) best = p;
      if (at === null) at = best.u;
      rows.push([s, value(best.w, this.y.log)]);
    }
    if (at === null) return;
    const x = this.toX(at);
    this.line.setAttribute('d', `M${x} ${this.top}V${this.top + this.height}`);
    this.note.replaceChildren(document.createElement('b'));
    const [what, unit] = this.across;
    this.note.firstChild.textContent = [what, value(at, this.x.log), unit || ''].join(' ');
    for (const [s, text] of rows.reverse()) {
      const row = this.note.appendChild(document.createElement('span'));
      const swatch = make('svg', {class: 'swatch', width: 12, height: 8});
      swatch.append(make('path', {d: 'M0 4h12', stroke: s.stroke, 'stroke-width': 2}));
      row.append(swatch, s.name + ' ', text);
    }
    const part = x / this.svg.viewBox.baseVal.width, left = part < 0.5;
    this.note.style.display = 'flex';
    this.note.style.left = left ? 100 * part + 2 + '%' : '';
    this.note.style.right = left ? '' : 100 * (1 - part) + 2 + '%';
  }
}

for (const figure of document.querySelectorAll('figure')) {
  const plots = [...figure.querySelectorAll('section > svg')].filter(svg => svg.querySelector('.ticks'))
                    .map(svg => new Plot(svg));
  const pictures = [...figure.querySelectorAll('section > svg')].filter(svg => !svg.querySelector('.ticks'));
  for (const key of figure.querySelectorAll('.key')) {
    key.addEventListener('click', () => {
      const shown = key.getAttribute('aria-pressed') !== 'true', scope = key.closest('section') || figure;
      key.setAttribute('aria-pressed', shown);
      for (const plot of plots) if (scope.contains(plot.svg)) plot.show(key.dataset.name, shown);
      for (const svg of pictures) {
        if (!scope.contains(svg)) continue;
        const lines = [...svg.querySelectorAll('.s')], stroke = s => s.querySelector('path').getAttribute('stroke');
        const own = lines.filter(s => s.dataset.name === key.dataset.name).map(stroke);
        for (const s of lines) {
          const goes = s.dataset.name === key.dataset.name || (!s.dataset.name && own.includes(stroke(s)));
          if (goes) s.style.display = shown ? '' : 'none';
        }
      }
    });
  }
  if (!plots.length) continue;
  const together = plot => plots.filter(p => p.first.x.lo === plot.first.x.lo && p.first.x.hi === plot.first.x.hi);
  const hint = figure.insertBefore(document.createElement('p'), figure.querySelector('.plots'));
  hint.className = 'hint muted';
  hint.append('Drag to enlarge a stretch, double-click to go back, click a name to hide its line. ');
  const [lo, hi] = plots[0].extent(), first = plots[0].first.x, slack = 1e-3 * (hi - lo);
  if (lo < first.lo - slack || hi > first.hi + slack) {
    const whole = hint.appendChild(document.createElement('button'));
    const part = `${number(first.lo)} to ${number(first.hi)}`;
    whole.type = 'button';
    whole.textContent = 'Show the whole run';
    whole.addEventListener('click', () => {
      const all = whole.textContent === 'Show the whole run';
      for (const plot of together(plots[0])) plot.zoom(all ? [lo, hi] : null);
      whole.textContent = all ? `Show ${part} s` : 'Show the whole run';
    });
  }
  for (const plot of plots) {
    const measure = event => {
      const box = plot.svg.getBoundingClientRect();
      const px = (event.clientX - box.left) * plot.svg.viewBox.baseVal.width / box.width;
      return plot.fromX(Math.min(Math.max(px, plot.left), plot.left + plot.width));
    };
    let from = null;
    plot.area.addEventListener('pointerdown', event => {
      from = measure(event);
      plot.area.setPointerCapture(event.pointerId);
    });
    plot.area.addEventListener('pointermove', event => {
      const u = measure(event);
      for (const p of together(plot)) p.point(u);
      if (from === null) return;
      const a = plot.toX(Math.min(from, u)), b = plot.toX(Math.max(from, u));
      plot.band.setAttribute('x', a);
      plot.band.setAttribute('width', b - a);
    });
    plot.area.addEventListener('pointerup', event => {
      const u = measure(event), range = [Math.min(from, u), Math.max(from, u)];
      const wide = plot.toX(range[1]) - plot.toX(range[0]) > 8;
      from = null;
      plot.band.setAttribute('width', 0);
      if (wide) for (const p of together(plot)) p.zoom(range);
    });
    plot.area.addEventListener('pointercancel', () => {
      from = null;
      plot.band.setAttribute('width', 0);
    });
    plot.area.addEventListener('pointerleave', () => {
      for (const p of together(plot)) p.point(null);
    });
    plot.area.addEventListener('dblclick', () => {
      for (const p of together(plot)) p.zoom(null);
    });
  }
}
})();
