"""One learning situation each: transfer, fabrication, federation and the like."""
