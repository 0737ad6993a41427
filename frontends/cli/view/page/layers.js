// The layers of the pass that makes the next step: which units are open, and what they add to the residual vector.
//
// data.layers: lanes (names), signals (lanes that the opcode's decoder sets), layers [{heads, writes: lanes by unit}],
// steps: [passes, [lanes of heads, lanes of units, open units as differences] for each layer]. Null without weights.

class Layers {
  constructor(data, box, html, colour) {
    this.data = data;
    this.box = box;
    this.html = html;
    this.colour = colour;
    this.cell = 6;
    box.innerHTML = '<div class="signals" role="list" aria-label="Signals of the opcode"></div>' + data.layers.map((layer, n) =>
      `<div class="layer" data-layer="${n}"><h3>layer ${n + 1}<small>${layer.heads.length ? html(layer.heads.join(', ')) + ', ' : ''}${layer.writes.length} units</small></h3>` +
      '<canvas role="img"></canvas><p class="added"></p></div>').join('');
    box.addEventListener('mousemove', (event) => this.point(event));
  }

  // Shows the pass of step `step`, from 1.
  show(step) {
    const now = this.data.steps[step - 1];
    this.box.hidden = !now;
    if (!now) return null;
    const values = new Map();
    now.slice(1).forEach(([heads, units]) => [heads, units].forEach((list) => {
      for (let i = 0; i < list.length; i += 2) values.set(list[i], (values.get(list[i]) || 0) + list[i + 1]);
    }));
    this.box.querySelector('.signals').innerHTML = this.data.signals.map((lane) => {
      const value = values.get(lane) || 0;
      return `<span role="listitem" class="${value ? 'lit' : ''}">${this.html(this.data.lanes[lane])}${value > 1 ? ' ' + value : ''}</span>`;
    }).join('');
    now.slice(1).forEach(([heads, units, differences], n) => {
      const row = this.box.querySelector(`[data-layer="${n}"]`);
      let unit = 0;
      const open = new Set(differences.map((d) => (unit += d)));
      this.draw(row.querySelector('canvas'), this.data.layers[n].writes.length, open);
      row.querySelector('.added').innerHTML = this.added('heads add', heads) + this.added('units add', units);
    });
    return now[0];
  }

  added(title, list) {
    if (!list.length) return '';
    const most = 40, parts = [];
    for (let i = 0; i < Math.min(list.length, 2 * most); i += 2) parts.push(`<span>${this.html(this.data.lanes[list[i]])} <b>${list[i + 1]}</b></span>`);
    return `<em>${title}</em>${parts.join('')}${list.length > 2 * most ? `<span>and ${list.length / 2 - most} more</span>` : ''}`;
  }

  draw(canvas, count, open) {
    const width = canvas.parentElement.clientWidth || 600, ratio = devicePixelRatio || 1, across = Math.max(1, Math.floor(width / this.cell));
    const height = Math.ceil(count / across) * this.cell;
    canvas.style.width = '100%';
    canvas.style.height = height + 'px';
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.across = across;
    canvas.setAttribute('aria-label', `${open.size} of ${count} units are open`);
    const g = canvas.getContext('2d'), size = this.cell - 1;
    g.scale(ratio, ratio);
    for (let unit = 0; unit < count; ++unit) {
      g.fillStyle = this.colour(open.has(unit) ? '--now' : '--line');
      g.fillRect((unit % across) * this.cell, Math.floor(unit / across) * this.cell, size, size);
    }
  }

  // The lanes of the unit below the pointer.
  point(event) {
    if (event.target.tagName !== 'CANVAS') return;
    const box = event.target.getBoundingClientRect(), n = Number(event.target.parentElement.dataset.layer);
    const unit = Math.floor((event.clientY - box.top) / this.cell) * event.target.across + Math.floor((event.clientX - box.left) / this.cell);
    const lanes = this.data.layers[n].writes[unit];
    event.target.title = lanes ? `unit ${unit} writes ${lanes.map((lane) => this.data.lanes[lane]).join(', ')}` : '';
  }
}
